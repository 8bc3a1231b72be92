package io.statestore.client.observability;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.Key;
import io.statestore.client.StateStoreRefusedException;

/**
 * Convention for the names and key values of observed calls. The default follows
 * OpenTelemetry's semantic conventions for databases. A bean of this type replaces it.
 */
public interface StateStoreCallObservationConvention extends ObservationConvention<StateStoreCallContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StateStoreCallContext;
	}

	@Override
	default String getName() {
		return "statestore.call";
	}

	@Override
	default String getContextualName(StateStoreCallContext context) {
		return KeyTexts.operation(context);
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(StateStoreCallContext context) {
		Throwable failure = context.getError();
		Server server = context.server();
		return KeyValues.of(CallKeyNames.DB_SYSTEM_NAME.withValue("statestore"),
				CallKeyNames.DB_OPERATION_NAME.withValue(KeyTexts.operation(context)),
				CallKeyNames.OUTCOME.withValue(context.outcome()),
				CallKeyNames.ERROR_TYPE.withValue((failure instanceof StateStoreRefusedException refusal)
						? refusal.reason().name() : KeyTexts.errorType(failure)),
				CallKeyNames.SERVER_ADDRESS.withValue((server != null) ? server.host() : KeyValue.NONE_VALUE),
				CallKeyNames.SERVER_PORT
					.withValue((server != null) ? Integer.toString(server.port()) : KeyValue.NONE_VALUE));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(StateStoreCallContext context) {
		Key key = context.key();
		if (key != null) {
			return KeyValues.of(CallKeyNames.KEY.withValue(KeyTexts.shorten(key)));
		}
		return (context.keyCount() > 1)
				? KeyValues.of(CallKeyNames.DB_OPERATION_BATCH_SIZE.withValue(Integer.toString(context.keyCount())))
				: KeyValues.empty();
	}

}
