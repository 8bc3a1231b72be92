package io.statestore.broker.session;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The log whose entries are changes of sessions. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionLog {

	/**
	 * Appends a change.
	 * @param change the change
	 * @param outcome called once, by any thread, possibly before this method returns.
	 * Outcomes and actions are called in the order of the calls of this object
	 */
	void append(SessionChange change, Outcome outcome);

	/**
	 * Runs an action once all earlier changes were applied or rejected, and while no
	 * other change is applied.
	 * @param action the action, called by any thread, possibly before this method returns
	 * @param bytes estimated heap of the action
	 */
	void inOrder(Runnable action, int bytes);

	/**
	 * Returns whether so many changes are on their way that connections should append
	 * further ones only when their earlier ones were applied.
	 * @return whether to wait
	 */
	boolean isCrowded();

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

	/**
	 * Receives the outcome of a change.
	 *
	 * @param applied called with the effect when the change was applied
	 * @param rejected called when the change was rejected by the log, and has no effect
	 */
	record Outcome(Consumer<Applied> applied, Runnable rejected) {

		/** Outcome that is ignored. */
		public static final Outcome NONE = new Outcome((applied) -> {
		}, () -> {
		});

	}

}
