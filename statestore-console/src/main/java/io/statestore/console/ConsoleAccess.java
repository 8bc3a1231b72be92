package io.statestore.console;

import java.security.Principal;
import java.util.Collection;

/**
 * Decides which keys a user may read in the console. Define a bean of this type; without
 * it, only users with the {@code ADMIN} role see keys, and they see all keys.
 * <p>
 * Called for each request, on the request's thread. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface ConsoleAccess {

	/**
	 * Returns the keys that a user may read.
	 * @param user the signed-in user; with Spring Security, its {@code Authentication}
	 * @return patterns of keys in the store, including the application's prefix, as for a
	 * scan. {@code *} also permits the state of the servers; an empty collection permits
	 * nothing
	 */
	Collection<String> patterns(Principal user);

}
