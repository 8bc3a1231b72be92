package io.statestore.client.observability;

import java.util.EnumSet;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Documentation of the observations of the state store client. */
enum StateStoreObservationDocumentation implements ObservationDocumentation {

	/**
	 * Observation of a call: a command that a template sends, from the method call to its
	 * result. Reading several keys together is one call. Requests by locks and watches
	 * are not observed.
	 */
	CALL {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return StateStoreCallObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return EnumSet.range(CallKeyNames.DB_SYSTEM_NAME, CallKeyNames.SERVER_PORT).toArray(KeyName[]::new);
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return EnumSet.range(CallKeyNames.KEY, CallKeyNames.DB_OPERATION_BATCH_SIZE).toArray(KeyName[]::new);
		}

	},

	/**
	 * Observation of a listener that handles one change to a key. It continues the
	 * write's trace if the server passed the trace on, and starts a new trace otherwise.
	 */
	LISTENER {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return StateStoreListenerObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return EnumSet.complementOf(EnumSet.of(ListenerKeyNames.KEY)).toArray(KeyName[]::new);
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return new KeyName[] { ListenerKeyNames.KEY };
		}

	};

}
