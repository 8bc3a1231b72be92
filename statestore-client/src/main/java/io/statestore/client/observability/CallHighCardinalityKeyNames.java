package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** High cardinality key names of a call. */
enum CallHighCardinalityKeyNames implements KeyName {

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
