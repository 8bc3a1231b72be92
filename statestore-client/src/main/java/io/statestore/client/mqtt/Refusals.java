package io.statestore.client.mqtt;

import io.statestore.protocol.Reply;

/** Describes refusals by the state store, each with its next step. */
final class Refusals {

	private Refusals() {
	}

	/**
	 * Returns the message of a refusal.
	 * @param verb name of the command
	 */
	static String describe(String verb, Reply.Error error) {
		String advice = switch (error.reason()) {
			case TIMESTAMP_TOO_FAR_IN_FUTURE ->
				"The clock of this machine is more than a minute ahead of the broker's; synchronize both (NTP)";
			case FENCING_TOKEN_TOO_FAR_IN_FUTURE ->
				"The fencing token is more than a minute ahead of the broker's clock; use the token that came with the "
						+ "lock, and synchronize the clocks (NTP)";
			case FENCING_TOKEN_REQUIRED ->
				"The key was written under a lock; acquire that lock and pass its fencing token";
			case FENCING_TOKEN_LOWER_VERSION ->
				"Another holder has written the key under a newer lock; this lock is no longer held";
			case QUOTA_EXCEEDED -> "The store is full; delete keys, let them expire, or raise its quota";
			case NOT_AUTHORIZED -> "Allow this client the key in the broker's authorization rules";
			case KEY_LENGTH_ZERO -> "Use a key of at least one byte";
			case UNKNOWN_COMMAND -> "The state store is too old for this command";
			case MISSING_TIMESTAMP, MALFORMED_TIMESTAMP ->
				"A component between this client and the store changes MQTT user properties; check gateways and bridges";
			case SYNTAX_ERROR, WRONG_NUMBER_OF_ARGUMENTS ->
				"The state store does not understand this form of the command";
			case UNKNOWN -> "See the documentation of the state store";
		};
		return "The state store refused " + verb + ": " + error.text() + ". " + advice;
	}

}
