package io.statestore.sample.room;

/**
 * One of three brokers, as the page shows it.
 *
 * @param name its name, such as {@code broker-1}
 * @param role its role
 * @param term number of the latest term of leadership that it has announced, 0 before the
 * first one
 */
record BrokerState(String name, Role role, long term) {

	/** Returns the role for readers. */
	public String word() {
		return switch (this.role) {
			case LEADER -> "Leader";
			case FOLLOWER -> "Follower";
			case WAITING -> "Waiting";
			case STOPPED -> "Stopped";
		};
	}

	/** Returns the class of the element with the role. */
	public String style() {
		return switch (this.role) {
			case LEADER -> "leading";
			case FOLLOWER -> "following";
			case WAITING -> "silent";
			case STOPPED -> "ended";
		};
	}

	public boolean stopped() {
		return this.role == Role.STOPPED;
	}

	/** Role of a broker. */
	enum Role {

		/** Serves the clients. */
		LEADER,

		/** Has a copy of the store, and forwards clients to the leader. */
		FOLLOWER,

		/** Runs, and no leader has reported its role yet. */
		WAITING,

		/** Its process has ended. */
		STOPPED

	}

}
