package io.statestore.client.observability;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.Key;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.observability.StateStoreObservationDocumentation.CallHighCardinalityKeyNames;
import io.statestore.client.observability.StateStoreObservationDocumentation.CallLowCardinalityKeyNames;
import org.jspecify.annotations.Nullable;

/**
 * Default convention for observed calls, with the names of OpenTelemetry for databases.
 */
public class DefaultStateStoreCallObservationConvention implements StateStoreCallObservationConvention {

	/** Shared instance. */
	public static final DefaultStateStoreCallObservationConvention INSTANCE = new DefaultStateStoreCallObservationConvention();

	private static final KeyValue SYSTEM = CallLowCardinalityKeyNames.DB_SYSTEM_NAME.withValue("statestore");

	private static final KeyValue NO_OUTCOME = CallLowCardinalityKeyNames.OUTCOME.withValue(KeyValue.NONE_VALUE);

	/** Creates the convention. */
	public DefaultStateStoreCallObservationConvention() {
	}

	@Override
	public String getName() {
		return "statestore.call";
	}

	@Override
	public String getContextualName(StateStoreCallContext context) {
		return operation(context);
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(StateStoreCallContext context) {
		CallOutcome outcome = context.outcome();
		Server server = context.server();
		return KeyValues.of(SYSTEM, CallLowCardinalityKeyNames.DB_OPERATION_NAME.withValue(operation(context)),
				(outcome != null) ? CallLowCardinalityKeyNames.OUTCOME.withValue(outcome.value()) : NO_OUTCOME,
				CallLowCardinalityKeyNames.ERROR_TYPE.withValue(errorType(context.getError())),
				CallLowCardinalityKeyNames.SERVER_ADDRESS
					.withValue((server != null) ? server.host() : KeyValue.NONE_VALUE),
				CallLowCardinalityKeyNames.SERVER_PORT
					.withValue((server != null) ? Integer.toString(server.port()) : KeyValue.NONE_VALUE));
	}

	private static String operation(StateStoreCallContext context) {
		return (context.keyCount() > 1) ? "BATCH " + context.command() : context.command();
	}

	private static String errorType(@Nullable Throwable failure) {
		return (failure instanceof StateStoreRefusedException refusal) ? refusal.reason().name()
				: KeyTexts.errorType(failure);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(StateStoreCallContext context) {
		Key key = context.key();
		if (key != null) {
			return KeyValues.of(CallHighCardinalityKeyNames.KEY.withValue(KeyTexts.shorten(key)));
		}
		return (context.keyCount() > 1) ? KeyValues
			.of(CallHighCardinalityKeyNames.DB_OPERATION_BATCH_SIZE.withValue(Integer.toString(context.keyCount())))
				: KeyValues.empty();
	}

}
