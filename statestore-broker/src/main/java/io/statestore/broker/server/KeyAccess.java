package io.statestore.broker.server;

import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLine;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.engine.KeySelection;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * Checks clients' permissions on keys and logs denials. A successor lock has the
 * permissions of its lock. Thread-safe.
 */
final class KeyAccess {

	private final AuditLog audit = new AuditLog();

	/**
	 * Checks a request, before it enters the serial executor.
	 * @param call the decoded request
	 * @return the request, or a copy that is refused
	 */
	Call check(Call call) {
		ClientConnection connection = call.request().connection();
		Command command = call.command();
		if (connection.permissions() == Permissions.ALL || command == null) {
			return call;
		}
		if (command instanceof Command.Write write && !mayWrite(connection, write.key())) {
			return denied(call, "write", write.key());
		}
		// The reply to an INCRBY is the value of the key.
		boolean reads = !(command instanceof Command.KeyNotifyStop)
				&& (!(command instanceof Command.Write) || command instanceof Command.Increment);
		return (reads && command instanceof Command.Keyed keyed && !mayRead(connection, keyed.key()))
				? denied(call, "read", keyed.key()) : call;
	}

	private Call denied(Call call, String action, Bytes key) {
		auditLine(call.request().connection()).word("action", action).key("key", key).log();
		return call.denied();
	}

	/** Returns whether a client may read a key. */
	boolean mayRead(ClientConnection connection, Bytes key) {
		Permissions permissions = connection.permissions();
		return permissions == Permissions.ALL || permissions.mayRead(LockNames.lock(key));
	}

	private static boolean mayWrite(ClientConnection connection, Bytes key) {
		return connection.permissions().mayWrite(LockNames.lock(key));
	}

	/**
	 * Selects the keys that a client may read.
	 * @return the selection, or {@code null} if it may read all keys
	 */
	@Nullable KeySelection readable(ClientConnection connection) {
		Permissions permissions = connection.permissions();
		return (permissions == Permissions.ALL) ? null
				: (key, steps) -> permissions.mayRead(LockNames.lock(key), steps);
	}

	/** Logs the end of a watch whose client may no longer read the key. */
	void endedWatch(ClientConnection connection, Bytes key) {
		auditLine(connection).word("action", "watch").key("key", key).log();
	}

	/** Logs an administration request that is not permitted. */
	void deniedAdministration(ClientConnection connection) {
		auditLine(connection).word("action", "administer").log();
	}

	/** Returns the number of denied requests and ended watches. */
	long denials() {
		return this.audit.count(AuditEvent.DENIED);
	}

	private AuditLine auditLine(ClientConnection connection) {
		return this.audit.line(AuditEvent.DENIED, connection.principal())
			.text("client", connection.clientId())
			.address(connection.address());
	}

}
