package io.statestore.client.lock;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.time.TimeSource;

/**
 * Mutual exclusion of the threads that update the same key within one tenure. The store
 * cannot distinguish their writes, because they have the same token. The mutex of a key
 * is reentrant, so that an update may contain another one of the same key.
 */
final class KeyMutexes {

	/** Mutexes of the keys that are being updated. */
	private final Map<Key, Mutex> mutexes = new ConcurrentHashMap<>();

	private final LeaseStatus lease;

	private final TimeSource time;

	KeyMutexes(LeaseStatus lease, TimeSource time) {
		this.lease = lease;
		this.time = time;
	}

	/**
	 * Runs an update once no other thread updates the key. An interrupt does not end the
	 * wait.
	 * @throws LockLostException if the tenure ends first
	 */
	<T> T run(Key key, Supplier<T> update) {
		Mutex mutex = enter(key);
		try {
			mutex.lock(this.lease);
			try {
				return update.get();
			}
			finally {
				mutex.lock.unlock();
			}
		}
		finally {
			leave(key);
		}
	}

	private Mutex enter(Key key) {
		return Objects.requireNonNull(this.mutexes.compute(key, (sameKey, present) -> {
			Mutex mutex = (present != null) ? present : new Mutex(new LocalLock(this.time, this.lease::requireValid));
			mutex.users++;
			return mutex;
		}));
	}

	private void leave(Key key) {
		this.mutexes.computeIfPresent(key, (sameKey, mutex) -> (--mutex.users > 0) ? mutex : null);
	}

	private static final class Mutex {

		private final LocalLock lock;

		/** Number of updates that run or wait. Changed within the map only. */
		private int users;

		private Mutex(LocalLock lock) {
			this.lock = lock;
		}

		private void lock(LeaseStatus lease) {
			if (this.lock.isHeldByCurrentThread()) {
				lease.requireValid();
				this.lock.reenter();
				return;
			}
			boolean interrupted = false;
			boolean locked = false;
			try {
				while (!locked) {
					lease.requireValid();
					try {
						locked = this.lock.tryLock(lease.remaining().toNanos());
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
