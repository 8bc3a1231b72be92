package io.statestore.client.observability;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * Convention for the names and key values of observed listeners. The default follows
 * OpenTelemetry's semantic conventions for messaging. A bean of this type replaces it.
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
		return KeyValues.of(ListenerKeyNames.MESSAGING_SYSTEM.withValue("mqtt"),
				ListenerKeyNames.MESSAGING_OPERATION_NAME.withValue("process"),
				ListenerKeyNames.MESSAGING_OPERATION_TYPE.withValue("process"),
				ListenerKeyNames.MESSAGING_DESTINATION_TEMPLATE
					.withValue(Topics.RESERVED_PREFIX + "/{clientId}/command/notify/{key}"),
				ListenerKeyNames.ERROR_TYPE.withValue(KeyTexts.errorType(context.getError())),
				ListenerKeyNames.LISTENER_ID.withValue(context.listenerId()),
				ListenerKeyNames.OPERATION.withValue(change.operation().name()),
				ListenerKeyNames.RESYNCHRONIZED.withValue(Boolean.toString(change.resynchronized())));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(StateStoreListenerContext context) {
		return KeyValues.of(ListenerKeyNames.KEY.withValue(KeyTexts.shorten(context.change().key())));
	}

}
