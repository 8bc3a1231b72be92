package io.statestore.broker.security;

/**
 * The authenticated identity of a client. One principal may have several clients.
 *
 * @param name the name, empty for {@link #ANONYMOUS} only
 */
public record ClientPrincipal(String name) {

	/** The principal of clients that have not logged in. */
	public static final ClientPrincipal ANONYMOUS = new ClientPrincipal("");

	/**
	 * Returns the principal with a name.
	 * @param name the name
	 * @return a principal that is not anonymous
	 * @throws IllegalArgumentException if the name is empty
	 */
	public static ClientPrincipal of(String name) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("The name of a principal must not be empty");
		}
		return new ClientPrincipal(name);
	}

	/**
	 * Returns whether the client has not logged in.
	 * @return {@code true} for {@link #ANONYMOUS} only
	 */
	public boolean isAnonymous() {
		return this.name.isEmpty();
	}

	@Override
	public String toString() {
		return isAnonymous() ? "anonymous" : this.name;
	}

}
