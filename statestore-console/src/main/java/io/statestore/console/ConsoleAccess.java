package io.statestore.console;

import java.security.Principal;
import java.util.Collection;

/**
 * Decides which keys a user may read in the console. Define a bean of this type; without
 * one, only users with the role {@code ADMIN} see keys, and they see all of them.
 * <p>
 * Called for each request, on its thread, so several threads may call it at the same
 * time.
 */
@FunctionalInterface
public interface ConsoleAccess {

	/**
	 * Returns the keys that a user may read.
	 * @param user the signed-in user. With Spring Security, this is its
	 * {@code Authentication}
	 * @return patterns of keys in the store, with the prefix of the application, as for a
	 * scan. {@code *} also permits the state of the servers; an empty collection permits
	 * nothing
	 */
	Collection<String> patterns(Principal user);

}
