package io.statestore.testing.broker;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

/**
 * A request that the server has not acknowledged.
 *
 * @param key the key, {@code null} if there is none
 * @param command the command, {@code null} if it is invalid
 * @param replyAction effect on the reply, {@code null} for the faults of the test
 * @param notificationAction effect on the next notification of the key, {@code null} for
 * the faults of the test
 */
record PendingCall(@Nullable Bytes key, @Nullable Command command, @Nullable FaultAction replyAction,
		@Nullable FaultAction notificationAction) {

	static PendingCall of(Bytes payload, ProtocolDialect form, @Nullable WireFault fault) {
		Command command = decode(payload, form);
		Bytes key = (command != null) ? key(command) : null;
		return new PendingCall(key, command, action(fault, MessageKind.REPLY), action(fault, MessageKind.NOTIFICATION));
	}

	private static @Nullable FaultAction action(@Nullable WireFault fault, MessageKind kind) {
		return (fault != null && fault.kind() == kind) ? fault.action() : null;
	}

	private static @Nullable Command decode(Bytes payload, ProtocolDialect form) {
		try {
			return Commands.decode(payload, form);
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	private static @Nullable Bytes key(Command command) {
		if (command instanceof Command.Write write) {
			return write.key();
		}
		if (command instanceof Command.Get get) {
			return get.key();
		}
		if (command instanceof Command.KeyNotify start) {
			return start.key();
		}
		return (command instanceof Command.KeyNotifyStop stop) ? stop.key() : null;
	}

}
