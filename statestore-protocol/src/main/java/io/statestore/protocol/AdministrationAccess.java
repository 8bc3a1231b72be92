package io.statestore.protocol;

/**
 * Which of a broker's clients may send administration requests. Such requests list locks
 * with their holders and waiters, show and change cluster nodes, or back up the store,
 * for example. The history is not restricted by this setting: every client may read the
 * history of the keys it may read.
 */
public enum AdministrationAccess {

	/** No clients. */
	OFF,

	/**
	 * Clients that have logged in, and clients that connect from a loopback address. This
	 * is the default.
	 */
	TRUSTED,

	/** All clients. */
	ALL;

	/**
	 * Returns whether a client may send administration requests.
	 * @param login whether the client has logged in
	 * @param loopback whether the client connects from a loopback address
	 * @return whether the client's requests are answered
	 */
	public boolean permits(boolean login, boolean loopback) {
		return this == ALL || (this == TRUSTED && (login || loopback));
	}

}
