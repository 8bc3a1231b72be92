package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** High cardinality key names of a call. */
enum CallHighCardinalityKeyNames implements KeyName {

	/** Key of the command, shortened to 256 characters. Absent for several keys. */
	KEY("statestore.key"),

	/** Number of keys of a {@code BATCH GET}. Absent for other commands. */
	DB_OPERATION_BATCH_SIZE("db.operation.batch.size");

	private final String name;

	CallHighCardinalityKeyNames(String name) {
		this.name = name;
	}

	@Override
	public String asString() {
		return this.name;
	}

	@Override
	public boolean isRequired() {
		return false;
	}

}
