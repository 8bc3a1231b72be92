package io.statestore.broker.session;

import io.statestore.broker.session.SessionMemory.Losses;
import io.statestore.broker.session.SessionMemory.User;

/**
 * When memory is exhausted, takes memory from the user who holds the most. Part of the
 * state machine; other threads may read the losses.
 */
final class Eviction {

	private final SessionMemory memory;

	private final Actions actions;

	private volatile Losses losses = new Losses(0, 0, 0, "");

	Eviction(SessionMemory memory, Actions actions) {
		this.memory = memory;
		this.actions = actions;
	}

	/**
	 * Makes room for data that a user is about to add.
	 * @return {@code false} if the data must be refused
	 */
	boolean makeRoom(User user, long bytes, long now) {
		User victim = this.memory.victim(user, bytes);
		while (victim != null && victim != user && takeFrom(victim, now)) {
			victim = this.memory.victim(user, bytes);
		}
		return victim == null;
	}

	/**
	 * Makes room for data that a session is about to add. Returns {@code false} if the
	 * data must be refused.
	 */
	boolean makeRoom(Session session, long bytes, long now) {
		return session.bytes() + bytes <= this.memory.maxBytesPerSession() && makeRoom(session.user(), bytes, now);
	}

	private boolean takeFrom(User user, long now) {
		if (!user.detached().isEmpty()) {
			this.actions.end(user.detached().iterator().next(), now);
			lost(1, 0, 0, user);
		}
		else if (!user.retained().isEmpty()) {
			this.actions.removeRetained(user.retained().keySet().iterator().next());
			lost(0, 1, 0, user);
		}
		else if (!user.backlogged().isEmpty()) {
			lost(0, 0, this.actions.dropQueued(user.backlogged().first()), user);
		}
		else {
			return false;
		}
		return true;
	}

	/** Counts sessions and messages that a user has lost. */
	void lost(int sessions, int retained, int messages, User user) {
		this.losses = this.losses.with(sessions, retained, messages, user);
	}

	Losses losses() {
		return this.losses;
	}

	/** Removes parts of the session state. */
	interface Actions {

		/** Ends a session that has no connection and discards its will. */
		void end(String clientId, long now);

		/** Removes a retained message. */
		void removeRetained(String topic);

		/**
		 * Drops a session's queued messages that no connection has received.
		 * @return the number of dropped messages
		 */
		int dropQueued(String clientId);

	}

}
