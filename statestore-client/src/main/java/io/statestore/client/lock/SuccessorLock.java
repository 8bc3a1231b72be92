package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Use of the successor lock by one waiter. Of all processes that wait for a lock, the
 * holder of its successor lock, the successor, watches and requests the lock itself. The
 * other waiters wait for the successor lock, so a release causes few requests, however
 * many processes wait.
 * <p>
 * This avoids the "herd effect" (Hunt et al. 2010, "ZooKeeper: Wait-free Coordination for
 * Internet-scale Systems", section 2.4). The remedy described there, a queue of
 * sequential keys, needs an operation that the protocol does not have.
 */
final class SuccessorLock {

	private final Supplier<RequestedLock> lock;

	private final WaitLimit limit;

	/** The attempt to get the successor lock, {@code null} until it is requested. */
	private @Nullable Acquisition acquisition;

	/**
	 * Prepares an attempt to become the successor.
	 * @param lock the successor lock
	 * @param limit of the wait for the lock itself
	 */
	SuccessorLock(Supplier<RequestedLock> lock, WaitLimit limit) {
		this.lock = lock;
		this.limit = limit;
	}

	/**
	 * Requests the successor lock.
	 * @return the lease; {@code null} if the wait timed out, or if the key is not used as
	 * a successor lock
	 */
	CompletableFuture<@Nullable Lease> request() {
		Acquisition acquisition = new Acquisition(this.lock.get(), null, this.limit);
		this.acquisition = acquisition;
		return acquisition.start();
	}

	/** Releases the successor lock, or stops waiting for it. */
	void release() {
		if (this.acquisition != null) {
			this.acquisition.cancel();
		}
	}

	/**
	 * Returns a future that completes after the last request for the successor lock, such
	 * as its release.
	 */
	CompletableFuture<Void> ended() {
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
