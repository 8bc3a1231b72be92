package io.statestore.client.cache;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.client.StateStoreNotSentException;

/**
 * Loads missing values, at most one load for each key at a time. Thread-safe.
 */
final class CacheLoads {

	private final Map<Key, Turn> turns = new ConcurrentHashMap<>();

	private final Map<Key, CompletableFuture<Object>> shared = new ConcurrentHashMap<>();

	/**
	 * Runs a load on this thread, after earlier loads of the same key. A load may trigger
	 * another load of the same key.
	 * @throws StateStoreNotSentException if interrupted while waiting for an earlier load
	 */
	Object inTurn(Key key, Supplier<Object> load) {
		Turn turn = this.turns.compute(key, (same, present) -> {
			Turn current = (present != null) ? present : new Turn();
			current.users++;
			return current;
		});
		try {
			return runLocked(key, turn.lock, load);
		}
		finally {
			this.turns.compute(key, (same, present) -> (--turn.users == 0) ? null : turn);
		}
	}

	private static Object runLocked(Key key, ReentrantLock lock, Supplier<Object> load) {
		try {
			lock.lockInterruptibly();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StateStoreNotSentException(
					"Interrupted while waiting for another thread that loads key '" + key + "'. Nothing was changed",
					ex);
		}
		try {
			return load.get();
		}
		finally {
			lock.unlock();
		}
	}

	/** Starts a load, or returns a future of the load already under way for this key. */
	CompletableFuture<Object> share(Key key, Supplier<CompletableFuture<Object>> load) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		CompletableFuture<Object> present = this.shared.putIfAbsent(key, result);
		if (present != null) {
			return present.copy();
		}
		// Composed, so that an exception of the load becomes a failure of the future.
		CompletableFuture.completedFuture(null).thenCompose((nothing) -> load.get()).whenComplete((value, failure) -> {
			this.shared.remove(key, result);
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else {
				result.complete(value);
			}
		});
		return result.copy();
	}

	/**
	 * Stops sharing a key's load under way, because it may have read the value before
	 * this write.
	 */
	void written(Key key) {
		this.shared.remove(key);
	}

	void cleared() {
		this.shared.clear();
	}

	/** A key's lock and the number of threads that use it. */
	private static final class Turn {

		private final ReentrantLock lock = new ReentrantLock();

		/** Accessed only within an atomic update of the map. */
		private int users;

	}

}
