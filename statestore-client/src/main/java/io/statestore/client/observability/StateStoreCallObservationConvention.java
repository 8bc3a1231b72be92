package io.statestore.client.observability;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the names and key values of observed calls. A bean of this type replaces
 * {@link DefaultStateStoreCallObservationConvention}.
 */
public interface StateStoreCallObservationConvention extends ObservationConvention<StateStoreCallContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StateStoreCallContext;
	}

}
