package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;

/**
 * Lock whose tenures belong to no thread. It excludes other threads of this process like
 * other processes.
 *
 * @param key of the lock
 * @param context of the registry
 * @param lossListeners listeners of all tenures
 * @param leader whether holders of the lock lead
 */
record UnownedLock(Key key, LockContext context, LossListeners lossListeners, boolean leader) {

	/**
	 * Waits for the lock.
	 * @return the tenure, {@code null} if another holder kept the lock
	 * @throws InterruptedException if interrupted while waiting
	 */
	@Nullable Tenure acquire(long waitNanos, LockTerms terms) throws InterruptedException {
		Acquisition acquisition = this.context.acquisition(this.key, terms,
				WaitLimit.of(this.context.time(), waitNanos), this.leader);
		try (LockWait wait = this.context.startWait()) {
			Lease lease = Futures.await(acquisition.start(), this.context.time());
			wait.ended(lease != null);
			return (lease != null) ? begin(lease) : null;
		}
		catch (InterruptedException ex) {
			acquisition.cancel();
			throw ex;
		}
	}

	private Tenure begin(Lease lease) {
		boolean begun = false;
		try {
			Tenure tenure = this.context.tenure(this.key, lease);
			tenure.onLost((loss) -> {
				this.context.logLoss(loss);
				this.lossListeners.report(loss);
			});
			begun = true;
			return tenure;
		}
		finally {
			if (!begun) {
				lease.release(Duration.ZERO);
			}
		}
	}

}
