package io.statestore.client.lock;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Lock of the waiter that is next. Of all processes that wait for a lock, the holder of
 * its successor lock, the successor, observes and requests the lock itself. The other
 * waiters wait for the successor lock, so a release causes few requests, however many
 * processes wait.
 */
final class SuccessorLock {

	/** A dead successor delays the other waiters for this long at most. */
	static final Duration MAX_LEASE = Duration.ofSeconds(3);

	/** Begins with NUL, which keys of applications do not have in practice. */
	private static final Bytes SUFFIX = Bytes.of("\u0000successor");

	private final Supplier<Claim> claim;

	private final WaitLimit limit;

	/** {@code null} until the successor lock is requested. */
	private @Nullable Acquisition acquisition;

	/**
	 * Prepares an attempt to become the successor.
	 * @param claim of the successor lock
	 * @param limit of the wait for the lock itself
	 */
	SuccessorLock(Supplier<Claim> claim, WaitLimit limit) {
		this.claim = claim;
		this.limit = limit;
	}

	/** Returns the key of the successor lock of a lock. */
	static Key keyOf(Key lock) {
		byte[] key = Arrays.copyOf(lock.bytes().toArray(), lock.bytes().length() + SUFFIX.length());
		SUFFIX.copyTo(key, lock.bytes().length());
		return new Key(Bytes.wrap(key));
	}

	/** Whether a key is that of a successor lock. */
	static boolean isKey(Key key) {
		int start = key.bytes().length() - SUFFIX.length();
		return start >= 0 && key.bytes().slice(start, key.bytes().length()).equals(SUFFIX);
	}

	/** Returns the terms of the successor lock of a lock with the given terms. */
	static LockTerms terms(LockTerms lock) {
		Duration lease = LockTerms.min(lock.lease().dividedBy(3), MAX_LEASE);
		return new LockTerms((lease.compareTo(LockOptions.MIN_LEASE) > 0) ? lease : LockOptions.MIN_LEASE, true);
	}

	/**
	 * Requests the successor lock.
	 * @return the lease; {@code null} if the wait was given up because of its limit, or
	 * because the key is not used as a successor lock
	 */
	CompletableFuture<@Nullable Lease> request() {
		Acquisition acquisition = new Acquisition(this.claim.get(), null, this.limit);
		this.acquisition = acquisition;
		return acquisition.start();
	}

	/** Releases the successor lock, or stops waiting for it. */
	void leave() {
		if (this.acquisition != null) {
			this.acquisition.cancel();
		}
	}

	/** Returns a future that completes once the successor lock is released. */
	CompletableFuture<Void> left() {
		Acquisition acquisition = this.acquisition;
		if (acquisition == null) {
			return CompletableFuture.completedFuture(null);
		}
		return acquisition.ended().thenCompose((nothing) -> {
			Lease lease = acquisition.lease();
			return (lease != null) ? lease.ended() : CompletableFuture.completedFuture(null);
		});
	}

}
