package io.statestore.client.lock;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.statestore.client.Key;

/**
 * Turns of the threads that update keys within one tenure: one thread at a time for each
 * key. The store cannot tell their writes apart, because they have the same token. A turn
 * is reentrant, so that an update may contain another one of the same key.
 */
final class UpdateTurns {

	/** Keys that are being updated. */
	private final Map<Key, Turn> turns = new ConcurrentHashMap<>();

	/**
	 * Runs an update when no other thread updates the key.
	 * @throws LockLostException if the tenure ends first
	 */
	<T> T run(Key key, Tenure tenure, Supplier<T> update) {
		Turn turn = enter(key);
		try {
			turn.await(tenure);
			try {
				return update.get();
			}
			finally {
				turn.lock.unlock();
			}
		}
		finally {
			leave(key);
		}
	}

	private Turn enter(Key key) {
		return Objects.requireNonNull(this.turns.compute(key, (sameKey, present) -> {
			Turn turn = (present != null) ? present : new Turn();
			turn.users++;
			return turn;
		}));
	}

	private void leave(Key key) {
		this.turns.computeIfPresent(key, (sameKey, turn) -> (--turn.users > 0) ? turn : null);
	}

	private static final class Turn {

		private final ReentrantLock lock = new ReentrantLock();

		/** Updates that run or wait. Changed within the map only. */
		private int users;

		/** Waits uninterruptibly, for as long as the tenure is valid. */
		private void await(Tenure tenure) {
			boolean interrupted = false;
			boolean locked = false;
			try {
				while (!locked) {
					tenure.requireValid();
					try {
						locked = this.lock.tryLock(tenure.remaining().toNanos(), TimeUnit.NANOSECONDS);
					}
					catch (InterruptedException ex) {
						interrupted = true;
					}
				}
			}
			finally {
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

	}

}
