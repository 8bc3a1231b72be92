package io.statestore.broker.security;

/** Determines the permissions of clients. Implementations must be thread-safe. */
@FunctionalInterface
public interface Authorizer {

	/**
	 * Returns the permissions of a client. Called once for each connection, on a network
	 * thread, which it must not block. If it throws an exception or an error other than
	 * {@link OutOfMemoryError}, the client is refused.
	 * @param client the client
	 * @return its permissions, which reflect later changes of the rules
	 */
	Permissions permissions(Client client);

}
