package io.statestore.client.mqtt.internal;

import io.statestore.client.Key;
import io.statestore.client.StateStoreNotAuthorizedException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/** Refusals by the state store, each with advice on how to respond. */
final class Refusals {

	private Refusals() {
	}

	/**
	 * Returns the failure of a command that the store refused.
	 * @param verb name of the command
	 * @param request the encoded command
	 * @param options options of the connection, which name the user
	 */
	static StateStoreRefusedException of(String verb, byte[] request, Reply.Error error, ConnectionOptions options) {
		Command command = Commands.decode(Bytes.wrap(request));
		Key key = key(command);
		return (error.reason() == ErrorReason.NOT_AUTHORIZED) ? notAuthorized(verb, command, key, options)
				: StateStoreRefusedException.of(error.reason(), describe(verb, key, error));
	}

	private static StateStoreNotAuthorizedException notAuthorized(String verb, Command command, @Nullable Key key,
			ConnectionOptions options) {
		String subject = (options.username() != null) ? "user '" + options.username() + '\''
				: (options.authentication() != null) ? "the user of the token" : "client '" + options.clientId() + '\'';
		String action = (command instanceof Command.Increment) ? "read and write"
				: (command instanceof Command.Write) ? "write" : "read";
		return StateStoreNotAuthorizedException.of(verb, key,
				"Allow " + subject + " to " + action + " this key in the rules of the server");
	}

	private static @Nullable Key key(Command command) {
		return (command instanceof Command.Keyed keyed) ? Key.of(keyed.key()) : null;
	}

	private static String describe(String verb, @Nullable Key key, Reply.Error error) {
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
			case NOT_AUTHORIZED -> "Allow this client the command in the rules of the server";
			case KEY_LENGTH_ZERO -> "Use a key of at least one byte";
			case UNKNOWN_COMMAND -> switch (verb) {
				case "REPLACE", "INCRBY" ->
					"This server lacks the extension; update the key under a lock (HeldLock.update)";
				case "PNOTIFY" -> "This server lacks the extension; watch single keys";
				default -> "The state store is too old for this command";
			};
			case MISSING_TIMESTAMP, MALFORMED_TIMESTAMP ->
				"A component between this client and the store changes MQTT user properties; check gateways and bridges";
			case SYNTAX_ERROR, WRONG_NUMBER_OF_ARGUMENTS ->
				"The state store does not understand this form of the command";
			case NOT_A_NUMBER ->
				"The counter is unchanged. Set it to a whole number, or add less: the sum must fit in 64 bits";
			case UNKNOWN -> "See the documentation of the state store";
		};
		return "The state store refused " + verb + ((key != null) ? " of key " + key.quoted() : "") + ": "
				+ error.text() + ". " + advice;
	}

}
