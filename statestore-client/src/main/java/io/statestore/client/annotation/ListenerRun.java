package io.statestore.client.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;

/**
 * A listener from a start to the next stop. Not thread-safe: used under the lock of its
 * endpoint, except for {@link #awaitStarted}.
 */
final class ListenerRun {

	/** Completed with what it observes, which is nothing if it has ended before. */
	private final CompletableFuture<List<KeyObservation>> begun = new CompletableFuture<>();

	/** Empty as long as a call of an earlier run is running. */
	private List<KeyObservation> observations = List.of();

	private volatile boolean ended;

	/** Begin to observe; what is begun already is ended if one of the keys cannot be. */
	void begin(List<Key> keys, Function<Key, KeyObservation> observe) {
		List<KeyObservation> begun = new ArrayList<>();
		try {
			keys.forEach((key) -> begun.add(observe.apply(key)));
		}
		catch (RuntimeException ex) {
			begun.forEach(KeyObservation::close);
			this.begun.completeExceptionally(ex);
			throw ex;
		}
		this.observations = begun;
		this.begun.complete(begun);
	}

	/**
	 * Waits until the store has acknowledged all keys, or this run has ended. Does not
	 * wait without a connection, because the start of the application has waited for that
	 * already. Takes no thread of the listeners: they may be waiting for the caller.
	 */
	void awaitStarted(Duration timeout) throws InterruptedException, ExecutionException, TimeoutException {
		long deadline = System.nanoTime() + timeout.toNanos();
		for (KeyObservation observation : this.begun.get(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
			if (!this.ended && !observation.isConnected()) {
				throw new ExecutionException(new StateStoreNotSentException("there is no connection"));
			}
			try {
				if (!observation.awaitStarted(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
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
		return !this.observations.isEmpty() && this.observations.stream().allMatch(KeyObservation::isActive);
	}

	/**
	 * Ends the run, and the waits for its start.
	 * @param earlier completed when calls of earlier runs have ended
	 * @return the same of calls of this run, too
	 */
	CompletableFuture<Void> end(CompletableFuture<Void> earlier) {
		this.ended = true;
		this.begun.complete(List.of());
		return this.observations.isEmpty() ? earlier : CompletableFuture
			.allOf(this.observations.stream().map(KeyObservation::closeAsync).toArray(CompletableFuture[]::new));
	}

}
