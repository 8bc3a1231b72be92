package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;

/**
 * The authenticated identity of a client: the user as which it has logged in. A principal
 * may have several clients. Immutable.
 *
 * @param name the principal's name, empty only for {@link #ANONYMOUS}
 */
public record ClientPrincipal(String name) {

	/** The principal of clients that have not logged in. */
	public static final ClientPrincipal ANONYMOUS = new ClientPrincipal("");

	/**
	 * Creates a principal.
	 * @throws IllegalArgumentException if the name is not well-formed Unicode
	 */
	public ClientPrincipal {
		// The name is stored as UTF-8 and must be the same after a restart.
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
			throw new IllegalArgumentException("The name of a principal must be well-formed Unicode");
		}
	}

	/**
	 * Returns the principal with a name.
	 * @param name the principal's name
	 * @return a principal that is not anonymous
	 * @throws IllegalArgumentException if the name is empty or not well-formed Unicode
	 */
	public static ClientPrincipal of(String name) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("The name of a principal must not be empty");
		}
		return new ClientPrincipal(name);
	}

	/**
	 * Returns whether the client has not logged in.
	 * @return {@code true} only for {@link #ANONYMOUS}
	 */
	public boolean isAnonymous() {
		return this.name.isEmpty();
	}

	@Override
	public String toString() {
		return isAnonymous() ? "anonymous" : this.name;
	}

}
