package io.statestore.client;

import java.util.concurrent.CompletableFuture;

/**
 * One listener of one key, until it is closed. It survives every loss of the connection.
 * Safe for use by several threads.
 */
public interface KeyObservation extends AutoCloseable {

	/** What is observed. */
	Key key();

	/**
	 * Completed when the store has acknowledged the observation and every later change
	 * will be delivered, or with the {@link StateStoreException} of a store that refused
	 * or an observation closed before. Attempts go on after a refusal until
	 * {@link #close()}. Completed on a thread that must not be blocked.
	 */
	CompletableFuture<Void> started();

	/** Whether changes arrive right now: connected, and acknowledged by the store. */
	boolean isActive();

	/**
	 * Stop. No call of the listener begins after this; changes that wait for it are
	 * dropped.
	 * @return completed when a call that was running has ended
	 */
	CompletableFuture<Void> closeAsync();

	/** Like {@link #closeAsync()}, without waiting. */
	@Override
	default void close() {
		closeAsync();
	}

}
