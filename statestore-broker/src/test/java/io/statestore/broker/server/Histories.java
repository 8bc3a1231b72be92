package io.statestore.broker.server;

import java.util.List;
import java.util.Random;

import io.statestore.broker.linearizability.Operation;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;

/** Random commands and the history of their replies. */
final class Histories {

	private static final Bytes[] KEYS = { Bytes.of("a"), Bytes.of("b") };

	private static final Bytes[] VALUES = { Bytes.of("1"), Bytes.of("2"), Bytes.of("3") };

	private Histories() {
	}

	/** Returns a random command for one of two keys. */
	static Command command(Random random) {
		Bytes key = KEYS[random.nextInt(KEYS.length)];
		Bytes value = VALUES[random.nextInt(VALUES.length)];
		return switch (random.nextInt(7)) {
			case 0 -> new Command.Del(key);
			case 1 -> new Command.VDel(key, value);
			case 2 -> new Command.Set(key, value, Condition.IF_ABSENT, null);
			case 3 -> new Command.Set(key, value);
			case 4 -> new Command.Increment(key, random.nextInt(4) - 2);
			default -> new Command.Get(key);
		};
	}

	/** Returns a command with its reply and both times. */
	static Operation operation(String clientId, Command command, long began, long ended, Received reply) {
		String version = reply.property(UserProperties.TIMESTAMP);
		return new Operation(clientId, command, null, began, ended, reply.reply(),
				(version != null) ? Version.parse(version) : null);
	}

	/** Returns whether any operation begins during another operation. */
	static boolean overlaps(List<Operation> history) {
		return history.stream()
			.anyMatch((one) -> history.stream()
				.anyMatch((other) -> one.invoked() < other.invoked() && other.invoked() < one.returned()));
	}

}
