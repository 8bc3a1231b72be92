package io.statestore.protocol;

/**
 * Clients of a broker that may send administration requests. Such a request lists the
 * locks with their holders and waiters, or shows and changes the nodes of a cluster. The
 * history is not restricted by this: every client may read that of the keys it may read.
 */
public enum AdministrationAccess {

	/** No client. */
	OFF,

	/**
	 * Clients that have logged in, and clients that connect from a loopback address. The
	 * default.
	 */
	TRUSTED,

	/** All clients. */
	ALL;

	/**
	 * Returns whether a client may send administration requests.
	 * @param login whether the client has logged in
	 * @param loopback whether the client connects from a loopback address
	 * @return whether its requests are answered
	 */
	public boolean permits(boolean login, boolean loopback) {
		return this == ALL || (this == TRUSTED && (login || loopback));
	}

}
