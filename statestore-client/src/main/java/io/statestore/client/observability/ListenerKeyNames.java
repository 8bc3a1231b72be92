package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** Names of a listener's key values. High-cardinality names come last. */
enum ListenerKeyNames implements KeyName {

	/** Messaging system, always {@code mqtt}. */
	MESSAGING_SYSTEM("messaging.system"),

	/** Operation on the message, always {@code process}. */
	MESSAGING_OPERATION_NAME("messaging.operation.name"),

	/** Type of the operation, always {@code process}. */
	MESSAGING_OPERATION_TYPE("messaging.operation.type"),

	/**
	 * Topic template of notifications, with {@code {clientId}} and {@code {key}}
	 * placeholders.
	 */
	MESSAGING_DESTINATION_TEMPLATE("messaging.destination.template"),

	/**
	 * Simple name of the exception that the listener threw, or {@code none} if it did not
	 * throw.
	 */
	ERROR_TYPE("error.type"),

	/** Id of the listener, or {@code none} if it was registered without an id. */
	LISTENER_ID("statestore.listener.id"),

	/** Type of change: {@code SET} or {@code DELETE}. */
	OPERATION("statestore.operation"),

	/** Whether earlier changes to the key may be missing. */
	RESYNCHRONIZED("statestore.resynchronized"),

	/** Changed key, shortened to 256 characters. */
	KEY("statestore.key");

	private final String name;

	ListenerKeyNames(String name) {
		this.name = name;
	}

	@Override
	public String asString() {
		return this.name;
	}

}
