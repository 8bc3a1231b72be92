package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Documentation of the observations of the state store client. */
public enum StateStoreObservationDocumentation implements ObservationDocumentation {

	/**
	 * Observation of a call: a command that a template sends, from the call of the method
	 * to its result. Reading several keys at once is one call. The requests of locks and
	 * of key observations are not observed.
	 */
	CALL {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultStateStoreCallObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return CallLowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return CallHighCardinalityKeyNames.values();
		}

	},

	/**
	 * Observation of a listener that handles one change of a key. It continues the trace
	 * of the write if the server passed it on, and starts a new trace otherwise.
	 */
	LISTENER {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultStateStoreListenerObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return ListenerLowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return ListenerHighCardinalityKeyNames.values();
		}

	};

	/** Low cardinality key names of a call. */
	public enum CallLowCardinalityKeyNames implements KeyName {

		/** Database system, always {@code statestore}. */
		DB_SYSTEM_NAME {

			@Override
			public String asString() {
				return "db.system.name";
			}

		},

		/**
		 * Command: {@code GET}, {@code SET}, {@code DEL}, {@code VDEL}, {@code SCAN}, or
		 * {@code BATCH GET} for the read of several keys.
		 */
		DB_OPERATION_NAME {

			@Override
			public String asString() {
				return "db.operation.name";
			}

		},

		/**
		 * Outcome of the call, see {@link CallOutcome}: {@code success},
		 * {@code not-sent}, {@code outcome-unknown}, {@code refused}, {@code invalid},
		 * {@code lock-lost}, {@code canceled}, {@code failed}, or {@code none} while the
		 * call is in flight.
		 */
		OUTCOME {

			@Override
			public String asString() {
				return "outcome";
			}

		},

		/**
		 * Reason of a refusal by the store, such as {@code QUOTA_EXCEEDED}. The simple
		 * name of the exception after any other failure, and {@code none} without one.
		 */
		ERROR_TYPE {

			@Override
			public String asString() {
				return "error.type";
			}

		},

		/** Host of the broker, or {@code none} if unknown. */
		SERVER_ADDRESS {

			@Override
			public String asString() {
				return "server.address";
			}

		},

		/** Port of the broker, or {@code none} if unknown. */
		SERVER_PORT {

			@Override
			public String asString() {
				return "server.port";
			}

		}

	}

	/** High cardinality key names of a call. */
	public enum CallHighCardinalityKeyNames implements KeyName {

		/** Key of the command, shortened to 256 characters. Absent for several keys. */
		KEY {

			@Override
			public String asString() {
				return "statestore.key";
			}

			@Override
			public boolean isRequired() {
				return false;
			}

		},

		/** Number of keys of a {@code BATCH GET}. Absent for other commands. */
		DB_OPERATION_BATCH_SIZE {

			@Override
			public String asString() {
				return "db.operation.batch.size";
			}

			@Override
			public boolean isRequired() {
				return false;
			}

		}

	}

	/** Low cardinality key names of a listener. */
	public enum ListenerLowCardinalityKeyNames implements KeyName {

		/** Messaging system, always {@code mqtt}. */
		MESSAGING_SYSTEM {

			@Override
			public String asString() {
				return "messaging.system";
			}

		},

		/** Operation on the message, always {@code process}. */
		MESSAGING_OPERATION_NAME {

			@Override
			public String asString() {
				return "messaging.operation.name";
			}

		},

		/** Type of the operation, always {@code process}. */
		MESSAGING_OPERATION_TYPE {

			@Override
			public String asString() {
				return "messaging.operation.type";
			}

		},

		/** Topic of notifications, with {@code {clientId}} and {@code {key}}. */
		MESSAGING_DESTINATION_TEMPLATE {

			@Override
			public String asString() {
				return "messaging.destination.template";
			}

		},

		/**
		 * Simple name of the exception that the listener threw, and {@code none} without
		 * one.
		 */
		ERROR_TYPE {

			@Override
			public String asString() {
				return "error.type";
			}

		},

		/** Id of the listener. */
		LISTENER_ID {

			@Override
			public String asString() {
				return "statestore.listener.id";
			}

		},

		/** Kind of the change: {@code SET} or {@code DELETE}. */
		OPERATION {

			@Override
			public String asString() {
				return "statestore.operation";
			}

		},

		/** Whether earlier changes of the key may be missing. */
		RESYNCHRONIZED {

			@Override
			public String asString() {
				return "statestore.resynchronized";
			}

		}

	}

	/** High cardinality key names of a listener. */
	public enum ListenerHighCardinalityKeyNames implements KeyName {

		/** Key that has changed, shortened to 256 characters. */
		KEY {

			@Override
			public String asString() {
				return "statestore.key";
			}

		}

	}

}
