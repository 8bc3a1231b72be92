package io.statestore.client.observability;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * Default convention for observed listeners, with the names of OpenTelemetry for
 * messaging.
 */
public class DefaultStateStoreListenerObservationConvention implements StateStoreListenerObservationConvention {

	/** Shared instance. */
	public static final DefaultStateStoreListenerObservationConvention INSTANCE = new DefaultStateStoreListenerObservationConvention();

	private static final KeyValue SYSTEM = ListenerLowCardinalityKeyNames.MESSAGING_SYSTEM.withValue("mqtt");

	private static final KeyValue OPERATION = ListenerLowCardinalityKeyNames.MESSAGING_OPERATION_NAME
		.withValue("process");

	private static final KeyValue OPERATION_TYPE = ListenerLowCardinalityKeyNames.MESSAGING_OPERATION_TYPE
		.withValue("process");

	private static final KeyValue DESTINATION = ListenerLowCardinalityKeyNames.MESSAGING_DESTINATION_TEMPLATE
		.withValue(Topics.RESERVED_PREFIX + "/{clientId}/command/notify/{key}");

	/** Creates the convention. */
	public DefaultStateStoreListenerObservationConvention() {
	}

	@Override
	public String getName() {
		return "statestore.listener";
	}

	@Override
	public String getContextualName(StateStoreListenerContext context) {
		String id = context.listenerId();
		return id.equals(Settings.NO_ID) ? "process" : "process " + id;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(StateStoreListenerContext context) {
		KeyChange<Bytes> change = context.change();
		return KeyValues.of(SYSTEM, OPERATION, OPERATION_TYPE, DESTINATION,
				ListenerLowCardinalityKeyNames.ERROR_TYPE.withValue(KeyTexts.errorType(context.getError())),
				ListenerLowCardinalityKeyNames.LISTENER_ID.withValue(context.listenerId()),
				ListenerLowCardinalityKeyNames.OPERATION.withValue(change.operation().name()),
				ListenerLowCardinalityKeyNames.RESYNCHRONIZED.withValue(Boolean.toString(change.resynchronized())));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(StateStoreListenerContext context) {
		return KeyValues.of(ListenerHighCardinalityKeyNames.KEY.withValue(KeyTexts.shorten(context.change().key())));
	}

}
