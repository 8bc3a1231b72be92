package io.statestore.broker.session;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The log whose entries are session changes. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionLog {

	/**
	 * Appends a change.
	 * @param change the change to append
	 * @param outcome called once, by any thread, possibly before this method returns.
	 * Outcomes and actions are called in the order in which they were passed to this log
	 */
	void append(SessionChange change, Outcome outcome);

	/**
	 * Runs an action once all earlier changes have been applied or rejected, while no
	 * other change is being applied.
	 * @param action the action, called by any thread, possibly before this method returns
	 * @param bytes estimated heap of the action
	 */
	void inOrder(Runnable action, int bytes);

	/**
	 * Returns whether so many changes are in progress that a connection should append no
	 * more until its earlier changes have been applied.
	 * @return whether to wait
	 */
	boolean isCrowded();

	/**
	 * Passes the messages of a stored session to its connection.
	 * @param clientId id of the session's client
	 * @param number number of the connection. Has no effect if the connection has ended
	 * @param connection receives the messages
	 */
	void attach(String clientId, long number, SessionConnection connection);

	/**
	 * Ends expired sessions, publishes due wills, and removes expired retained messages.
	 * A call handles a limited number of deadlines, so it must be repeated.
	 * @param denies returns {@code true} for a client id whose will must be discarded
	 */
	void expire(Predicate<String> denies);

	/**
	 * Returns the state to which changes are applied.
	 * @return the sessions
	 */
	Sessions sessions();

	/**
	 * Returns the current log time.
	 * @return nanoseconds, never less than in an earlier call
	 */
	long now();

	/**
	 * Receives the outcome of a change.
	 *
	 * @param applied called with the effect once the change is applied
	 * @param rejected called if the log rejected the change, which then has no effect
	 */
	record Outcome(Consumer<Applied> applied, Runnable rejected) {

		/** Ignores the outcome. */
		public static final Outcome NONE = new Outcome((applied) -> {
		}, () -> {
		});

	}

}
