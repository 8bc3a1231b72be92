package io.statestore.broker.mqtt;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Bytes;
import org.slf4j.LoggerFactory;

/** Denies access if the wrapped permissions throw an exception. */
final class GuardedPermissions implements Permissions {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(GuardedPermissions.class));

	private final Client client;

	private final Permissions permissions;

	private GuardedPermissions(Client client, Permissions permissions) {
		this.client = client;
		this.permissions = permissions;
	}

	/**
	 * Guards permissions.
	 * @param client the client to name in the log
	 * @param permissions the client's permissions
	 * @return the guarded permissions, or {@link Permissions#ALL} if everything is
	 * permitted
	 */
	static Permissions of(Client client, Permissions permissions) {
		Objects.requireNonNull(permissions, "the authorizer has returned no permissions");
		return (permissions == ALL) ? ALL : new GuardedPermissions(client, permissions);
	}

	@Override
	public boolean mayRead(Bytes key) {
		return decide(() -> this.permissions.mayRead(key));
	}

	@Override
	public boolean mayRead(Bytes key, LongConsumer steps) {
		return decide(() -> this.permissions.mayRead(key, steps));
	}

	@Override
	public boolean mayWrite(Bytes key) {
		return decide(() -> this.permissions.mayWrite(key));
	}

	@Override
	public boolean maySubscribe(String filter) {
		return decide(() -> this.permissions.maySubscribe(filter));
	}

	@Override
	public boolean mayPublish(String topic) {
		return decide(() -> this.permissions.mayPublish(topic));
	}

	@Override
	public boolean mayAdminister() {
		return decide(this.permissions::mayAdminister);
	}

	@Override
	public boolean mayConnect() {
		return decide(this.permissions::mayConnect);
	}

	private boolean decide(BooleanSupplier decision) {
		try {
			return decision.getAsBoolean();
		}
		catch (OutOfMemoryError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			// Includes checked exceptions, and errors that a single topic or key causes.
			clientLog
				.warn("Denied a request, message, or connection of client '{}': the authorizer failed to determine its "
						+ "permissions: {}", this.client.clientId(), ex);
			return false;
		}
	}

}
