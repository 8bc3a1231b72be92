package io.statestore.client.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.KeyObservation;

/**
 * A listener from a start to the next stop. Not thread-safe: used under the lock of its
 * endpoint.
 */
final class ListenerRun {

	private final CompletableFuture<Void> started = new CompletableFuture<>();

	/** Empty as long as a call of an earlier run is running. */
	private List<KeyObservation> observations = List.of();

	/** Begin to observe; what is begun already is ended if one of the keys cannot be. */
	void begin(List<Key> keys, Function<Key, KeyObservation> observe) {
		List<KeyObservation> begun = new ArrayList<>();
		try {
			keys.forEach((key) -> begun.add(observe.apply(key)));
		}
		catch (RuntimeException ex) {
			begun.forEach(KeyObservation::close);
			this.started.completeExceptionally(ex);
			throw ex;
		}
		this.observations = begun;
		allOf(begun.stream().map(KeyObservation::started).toList()).whenComplete((done, failure) -> {
			if (failure != null) {
				this.started.completeExceptionally(failure);
			}
			else {
				this.started.complete(null);
			}
		});
	}

	/** Completed when the store has acknowledged all keys, or nobody needs that. */
	CompletableFuture<Void> started() {
		return this.started;
	}

	boolean isActive() {
		return !this.observations.isEmpty() && this.observations.stream().allMatch(KeyObservation::isActive);
	}

	/**
	 * End it. Who waits for its start need not any more.
	 * @param earlier completed when calls of earlier runs have ended
	 * @return the same of calls of this run, too
	 */
	CompletableFuture<Void> end(CompletableFuture<Void> earlier) {
		this.started.complete(null);
		return this.observations.isEmpty() ? earlier
				: allOf(this.observations.stream().map(KeyObservation::closeAsync).toList());
	}

	private static CompletableFuture<Void> allOf(List<CompletableFuture<Void>> futures) {
		return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
	}

}
