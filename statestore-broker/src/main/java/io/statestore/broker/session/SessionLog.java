package io.statestore.broker.session;

import java.util.function.Predicate;

import io.statestore.broker.session.Sessions.Connected;
import org.jspecify.annotations.Nullable;

/**
 * The log of which changes of sessions are entries. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionLog {

	/**
	 * Appends a change.
	 * @param change the change
	 * @param outcome called once, by any thread, possibly before this method returns
	 */
	void append(SessionChange change, Outcome outcome);

	/**
	 * Passes the messages of a stored session to its connection.
	 * @param clientId client id
	 * @param number number of the connection
	 * @param connection receives the messages
	 */
	void attach(String clientId, long number, SessionConnection connection);

	/**
	 * Ends expired sessions, publishes due wills, and removes expired retained messages.
	 * One call handles a limited number of deadlines, so it must be repeated.
	 * @param denies returns {@code true} for a client id whose will must be discarded
	 */
	void expire(Predicate<String> denies);

	/**
	 * Returns the state to which the changes are applied.
	 * @return the sessions
	 */
	Sessions sessions();

	/**
	 * Returns the log time.
	 * @return nanoseconds, never less than in an earlier call
	 */
	long now();

	/** What becomes of a change. */
	interface Outcome {

		/** Outcome that nobody waits for. */
		Outcome NONE = (connected) -> {
		};

		/**
		 * Called when the change was applied.
		 * @param connected the connection of a client that connects, otherwise
		 * {@code null}
		 */
		void applied(@Nullable Connected connected);

		/** Called when the change was refused, and has no effect. */
		default void rejected() {
			// Nobody waits
		}

	}

}
