package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One listener's watch of a key. It continues across reconnects until it is closed.
 * Thread-safe.
 */
public interface KeyWatch extends AutoCloseable {

	/** State of a watch, for {@link WatchSpec#onState}. */
	enum State {

		/**
		 * Changes that were missed have been delivered, and every later change arrives,
		 * unless the store ends the watch (see {@link KeyWatch#isActive}).
		 */
		ACTIVE,

		/**
		 * Changes may be missed until the watch is active again, for example because the
		 * connection was lost.
		 */
		INTERRUPTED,

		/** The store or the broker refused the watch. The client keeps trying. */
		REFUSED

	}

	/**
	 * Returns the watched key.
	 * @return the key
	 */
	Key key();

	/**
	 * Returns a future that completes when the store has acknowledged the watch. From
	 * then on, every change is delivered. The future fails with a
	 * {@link StateStoreException} if the store refused the watch, or if the watch was
	 * closed before it started. After a refusal, the client keeps trying until
	 * {@link #close()}.
	 * <p>
	 * The future completes on a listener thread, or on the thread that closes the watch.
	 * A listener must not wait for the future, which may need the same thread; use
	 * {@link #awaitStarted} instead.
	 * @return a future that completes, without a value, when the watch has started
	 */
	CompletableFuture<Void> started();

	/**
	 * Waits until the watch has started. Can be called on any application thread,
	 * including listener threads.
	 * @param timeout maximum time to wait
	 * @return whether the watch has started within the timeout
	 * @throws StateStoreException if the store refused the watch, or if the watch was
	 * closed before it started
	 * @throws InterruptedException if interrupted while waiting
	 */
	boolean awaitStarted(Duration timeout) throws InterruptedException;

	/**
	 * Returns whether the client is connected; the watch cannot start without a
	 * connection.
	 * @return {@code true} if connected, even if the store has not acknowledged the watch
	 * yet
	 */
	default boolean isConnected() {
		return true;
	}

	/**
	 * Returns whether changes are expected to arrive: the client is connected, and the
	 * store has acknowledged the watch. A store may end a watch silently, for example if
	 * the client may no longer read the key, or if a gateway is restarted. The next
	 * renewal detects this.
	 * @return {@code true} unless the watch is known to be interrupted
	 */
	boolean isActive();

	/**
	 * Ends the watch. The listener is not called again, and waiting changes are dropped.
	 * Can be called repeatedly.
	 * @return a future that completes when the listener is no longer being called
	 */
	CompletableFuture<Void> closeAsync();

	/**
	 * Ends the watch like {@link #closeAsync()}, without waiting for a running listener
	 * call.
	 */
	@Override
	default void close() {
		closeAsync();
	}

}
