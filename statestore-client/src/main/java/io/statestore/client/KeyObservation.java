package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One listener of one key, until it is closed. It survives every loss of the connection.
 * Safe for use by several threads.
 */
public interface KeyObservation extends AutoCloseable {

	/** Whether changes of the key arrive, for {@link ObserveSpec#onState}. */
	enum State {

		/** Every change arrives from now on. A change missed before was delivered. */
		ACTIVE,

		/**
		 * Changes may be missed until the observation is active again, such as after the
		 * connection was lost.
		 */
		INTERRUPTED,

		/** The store or the broker refused the observation. Attempts continue. */
		REFUSED

	}

	/** What is observed. */
	Key key();

	/**
	 * Completed when the store has acknowledged the observation and every later change
	 * will be delivered, or with the {@link StateStoreException} of a store that refused
	 * or an observation closed before. Attempts go on after a refusal until
	 * {@link #close()}. Completed on the threads of the listeners, so a listener that
	 * waits for it may wait for itself: use {@link #awaitStarted} there.
	 */
	CompletableFuture<Void> started();

	/**
	 * Wait for the start, on any thread of the application, those of listeners included:
	 * it needs none of them.
	 * @return whether it has started in time
	 * @throws StateStoreException if the store refused or the observation was closed
	 * before
	 */
	boolean awaitStarted(Duration timeout) throws InterruptedException;

	/**
	 * Returns whether there is a connection. Without one the observation cannot start,
	 * and waiting for its start means waiting for the connection.
	 * @return {@code true} if connected, also before the store has acknowledged the
	 * observation
	 */
	default boolean isConnected() {
		return true;
	}

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
