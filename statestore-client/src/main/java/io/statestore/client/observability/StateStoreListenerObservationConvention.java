package io.statestore.client.observability;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * Convention for the names and key values of observed listeners. By default, they have
 * the names of OpenTelemetry for messaging. A bean of this type replaces the default.
 */
public interface StateStoreListenerObservationConvention extends ObservationConvention<StateStoreListenerContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StateStoreListenerContext;
	}

	@Override
	default String getName() {
		return "statestore.listener";
	}

	@Override
	default String getContextualName(StateStoreListenerContext context) {
		String id = context.listenerId();
		return id.equals(Settings.NO_ID) ? "process" : "process " + id;
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(StateStoreListenerContext context) {
		KeyChange<Bytes> change = context.change();
		return KeyValues.of(ListenerLowCardinalityKeyNames.MESSAGING_SYSTEM.withValue("mqtt"),
				ListenerLowCardinalityKeyNames.MESSAGING_OPERATION_NAME.withValue("process"),
				ListenerLowCardinalityKeyNames.MESSAGING_OPERATION_TYPE.withValue("process"),
				ListenerLowCardinalityKeyNames.MESSAGING_DESTINATION_TEMPLATE
					.withValue(Topics.RESERVED_PREFIX + "/{clientId}/command/notify/{key}"),
				ListenerLowCardinalityKeyNames.ERROR_TYPE.withValue(KeyTexts.errorType(context.getError())),
				ListenerLowCardinalityKeyNames.LISTENER_ID.withValue(context.listenerId()),
				ListenerLowCardinalityKeyNames.OPERATION.withValue(change.operation().name()),
				ListenerLowCardinalityKeyNames.RESYNCHRONIZED.withValue(Boolean.toString(change.resynchronized())));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(StateStoreListenerContext context) {
		return KeyValues.of(ListenerHighCardinalityKeyNames.KEY.withValue(KeyTexts.shorten(context.change().key())));
	}

}
