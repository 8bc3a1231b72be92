package io.statestore.client.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;

/**
 * A listener's watches, from a start to the next stop. Not thread-safe: used under its
 * endpoint's lock, except for {@link #awaitStarted}.
 */
final class ListenerRun {

	/**
	 * Completes with the watches, or with an empty list if the run ended before it began.
	 */
	private final CompletableFuture<List<KeyWatch>> begun = new CompletableFuture<>();

	/** Watches of all keys and patterns. Empty until calls of earlier runs have ended. */
	private List<KeyWatch> watches = List.of();

	private volatile boolean ended;

	/**
	 * Watches the keys and patterns. If one of them cannot be watched, all watches are
	 * closed.
	 * @throws RuntimeException if a key cannot be watched
	 */
	void begin(List<Supplier<KeyWatch>> starts) {
		List<KeyWatch> begun = new ArrayList<>();
		try {
			starts.forEach((start) -> begun.add(start.get()));
		}
		catch (RuntimeException ex) {
			begun.forEach(KeyWatch::close);
			this.begun.completeExceptionally(ex);
			throw ex;
		}
		this.watches = begun;
		this.begun.complete(begun);
	}

	/**
	 * Waits until the store has acknowledged all keys, or this run has ended. Does not
	 * wait without a connection, because application startup has already waited for it.
	 * Does not need a listener thread, because all of them may be waiting for the caller.
	 * @param remaining returns how long to keep waiting
	 * @throws ExecutionException if there is no connection, or a key cannot be watched
	 * @throws TimeoutException if the store has not acknowledged all keys in time
	 */
	void awaitStarted(Supplier<Duration> remaining) throws InterruptedException, ExecutionException, TimeoutException {
		for (KeyWatch watch : this.begun.get(remaining.get().toNanos(), TimeUnit.NANOSECONDS)) {
			if (!this.ended && !watch.isConnected()) {
				throw new ExecutionException(new StateStoreNotSentException("there is no connection"));
			}
			try {
				if (!watch.awaitStarted(remaining.get())) {
					throw new TimeoutException();
				}
			}
			catch (StateStoreException ex) {
				if (!this.ended) {
					throw new ExecutionException(ex);
				}
			}
		}
	}

	boolean isActive() {
		return !this.watches.isEmpty() && this.watches.stream().allMatch(KeyWatch::isActive);
	}

	/**
	 * Ends the run, and any waits for its start.
	 * @param earlier completes when calls of earlier runs have ended
	 * @return a future that completes when calls of this run and of earlier runs have
	 * ended
	 */
	CompletableFuture<Void> end(CompletableFuture<Void> earlier) {
		this.ended = true;
		this.begun.complete(List.of());
		return this.watches.isEmpty() ? earlier : CompletableFuture
			.allOf(this.watches.stream().map(KeyWatch::closeAsync).toArray(CompletableFuture[]::new));
	}

}
