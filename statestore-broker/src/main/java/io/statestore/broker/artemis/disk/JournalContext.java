package io.statestore.broker.artemis.disk;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.apache.activemq.artemis.core.persistence.impl.journal.OperationContextImpl;
import org.jspecify.annotations.Nullable;

/**
 * Operation context that reports the failure of a write. Artemis sends no further packets
 * of the context, so that the client would wait for them forever.
 * <p>
 * Internal: not part of the API.
 */
public final class JournalContext extends OperationContextImpl {

	private volatile @Nullable Runnable failed;

	private boolean broken;

	JournalContext(Executor executor) {
		super(executor);
	}

	/**
	 * Sets the action to run after a failed write.
	 * @param action replaces the previous one; called on any thread
	 */
	public void onFailure(Runnable action) {
		this.failed = action;
	}

	@Override
	public synchronized void done() {
		super.done();
		notifyAll();
	}

	/**
	 * Waits until everything that was written before is on the disk, or a write has
	 * failed. Does not need another thread of Artemis.
	 * @param timeout maximum time to wait
	 * @return {@code false} if the time has passed
	 * @throws InterruptedException if the thread is interrupted
	 */
	public synchronized boolean awaitStored(Duration timeout) throws InterruptedException {
		long end = System.nanoTime() + timeout.toNanos();
		while (!this.broken && getStored() < getStoreLineUpField()) {
			long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
			if (millis <= 0) {
				return false;
			}
			wait(millis);
		}
		return true;
	}

	@Override
	public void onError(int errorCode, String errorMessage) {
		super.onError(errorCode, errorMessage);
		synchronized (this) {
			this.broken = true;
			notifyAll();
		}
		Runnable action = this.failed;
		if (action != null) {
			action.run();
		}
	}

}
