package io.statestore.testing.broker;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Call that the server has not acknowledged.
 *
 * @param command the command, {@code null} if it is invalid
 * @param fault fault that the client has requested, {@code null} for none
 */
record PendingCall(@Nullable Command command, @Nullable WireFault fault) {

	static PendingCall of(Bytes payload, ProtocolDialect form, @Nullable WireFault fault) {
		try {
			return new PendingCall(Commands.decode(payload, form), fault);
		}
		catch (ProtocolException ex) {
			return new PendingCall(null, fault);
		}
	}

	/** Returns the key of the command, {@code null} if it has none. */
	@Nullable Bytes key() {
		return (this.command instanceof Command.Keyed keyed) ? keyed.key() : null;
	}

	/** Returns the effect that the client has requested on a message of the call. */
	@Nullable FaultAction action(MessageKind kind) {
		return (this.fault != null && this.fault.kind() == kind) ? this.fault.action() : null;
	}

}
