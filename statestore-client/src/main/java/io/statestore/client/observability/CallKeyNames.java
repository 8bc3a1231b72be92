package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** Names of a call's key values. High-cardinality names come last. */
enum CallKeyNames implements KeyName {

	/** Database system, always {@code statestore}. */
	DB_SYSTEM_NAME("db.system.name"),

	/**
	 * Command: {@code GET}, {@code SET}, {@code DEL}, {@code VDEL}, {@code SCAN}, or
	 * {@code BATCH GET} for reading several keys.
	 */
	DB_OPERATION_NAME("db.operation.name"),

	/**
	 * Outcome of the call: {@code success}, {@code not-sent}, {@code outcome-unknown},
	 * {@code refused}, {@code invalid}, {@code lock-lost}, {@code canceled},
	 * {@code failed}, or {@code none} while the call is in flight.
	 */
	OUTCOME("outcome"),

	/**
	 * Why the store refused the call, such as {@code QUOTA_EXCEEDED}, or the simple name
	 * of any other exception; {@code none} if the call did not fail.
	 */
	ERROR_TYPE("error.type"),

	/** Broker host, or {@code none} if unknown. */
	SERVER_ADDRESS("server.address"),

	/** Broker port, or {@code none} if unknown. */
	SERVER_PORT("server.port"),

	/**
	 * Key of the command, shortened to 256 characters. Absent if the command has several
	 * keys.
	 */
	KEY("statestore.key"),

	/** Number of keys in a {@code BATCH GET}. Absent for other commands. */
	DB_OPERATION_BATCH_SIZE("db.operation.batch.size");

	private final String name;

	CallKeyNames(String name) {
		this.name = name;
	}

	@Override
	public String asString() {
		return this.name;
	}

	@Override
	public boolean isRequired() {
		return compareTo(KEY) < 0;
	}

}
