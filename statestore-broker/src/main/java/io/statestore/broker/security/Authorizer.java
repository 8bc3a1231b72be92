package io.statestore.broker.security;

/** Determines the permissions of clients. Implementations must be thread-safe. */
@FunctionalInterface
public interface Authorizer {

	/**
	 * Returns a client's permissions. Called once per connection, on a network thread,
	 * which it must not block. If it throws an exception or an error other than
	 * {@link OutOfMemoryError}, the client is refused.
	 * @param client the authenticated client
	 * @return the client's permissions, which must reflect later changes to the rules
	 */
	Permissions permissions(Client client);

}
