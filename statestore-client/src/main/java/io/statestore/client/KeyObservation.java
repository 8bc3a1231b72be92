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

	/**
	 * Returns the observed key.
	 * @return the key
	 */
	Key key();

	/**
	 * Returns a future that completes when the store has acknowledged the observation.
	 * From then on every change is delivered. It fails with a {@link StateStoreException}
	 * if the store refused or the observation was closed before. Attempts continue after
	 * a refusal until {@link #close()}. The future completes on the threads of the
	 * listeners, so a listener that waits for it may wait for itself: use
	 * {@link #awaitStarted} there.
	 * @return the future
	 */
	CompletableFuture<Void> started();

	/**
	 * Waits for the start. May be called on any thread of the application, including
	 * those of listeners, because it needs none of them.
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

	/**
	 * Returns whether changes arrive now: there is a connection, and the store has
	 * acknowledged the observation.
	 * @return {@code true} if changes arrive
	 */
	boolean isActive();

	/**
	 * Ends the observation. No call of the listener begins afterwards; waiting changes
	 * are dropped.
	 * @return a future that completes when a running call has ended
	 */
	CompletableFuture<Void> closeAsync();

	/** Ends the observation like {@link #closeAsync()}, without waiting. */
	@Override
	default void close() {
		closeAsync();
	}

}
