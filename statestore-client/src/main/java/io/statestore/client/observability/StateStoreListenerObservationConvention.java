package io.statestore.client.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the names and key values of observed listeners. A bean of this type
 * replaces {@link DefaultStateStoreListenerObservationConvention}.
 */
public interface StateStoreListenerObservationConvention extends ObservationConvention<StateStoreListenerContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StateStoreListenerContext;
	}

}
