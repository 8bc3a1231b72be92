package io.statestore.broker;

import java.util.Objects;
import java.util.function.LongConsumer;

import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Permissions of a client on the port of stale reads: those for keys, and none for
 * ordinary topics. A client may still subscribe to its own topics, on which it receives
 * replies.
 */
final class StaleReadPermissions implements Permissions {

	private final Permissions permissions;

	private StaleReadPermissions(Permissions permissions) {
		this.permissions = Objects.requireNonNull(permissions, "the authorizer has returned no permissions");
	}

	/**
	 * Returns the authorizer of the port.
	 * @param authorizer the authorizer of the normal port, {@code null} if it permits
	 * everything
	 */
	static Authorizer authorizer(@Nullable Authorizer authorizer) {
		return (client) -> new StaleReadPermissions(
				(authorizer != null) ? authorizer.permissions(client) : Permissions.ALL);
	}

	@Override
	public boolean mayRead(Bytes key) {
		return this.permissions.mayRead(key);
	}

	@Override
	public boolean mayRead(Bytes key, LongConsumer steps) {
		return this.permissions.mayRead(key, steps);
	}

	/** What is permitted is refused later, with a reply that names the normal port. */
	@Override
	public boolean mayWrite(Bytes key) {
		return this.permissions.mayWrite(key);
	}

	@Override
	public boolean maySubscribe(String filter) {
		return false;
	}

	@Override
	public boolean mayPublish(String topic) {
		return false;
	}

	@Override
	public boolean mayAdminister() {
		return this.permissions.mayAdminister();
	}

	@Override
	public boolean mayConnect() {
		return this.permissions.mayConnect();
	}

}
