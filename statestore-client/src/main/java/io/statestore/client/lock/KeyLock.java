package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.lock.LockLoss.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Lock of one key, which binds its tenures to threads. A thread first acquires the local
 * lock, so at most one thread of this process requests the lock from the store. The
 * thread keeps the local lock until it has unlocked, even if the tenure is lost before.
 */
final class KeyLock {

	/** Interval in which the owner of a lost lock is checked to be alive. */
	private static final Duration ABANDONED_CHECK_INTERVAL = Duration.ofSeconds(1);

	/** Listeners of all tenures. While there are any, this lock is not collected. */
	private final LossListeners lossListeners = new LossListeners();

	private final Key key;

	private final LockContext context;

	private final LocalLock local;

	/** Changed with the local lock held. */
	private final LockOwner owner = new LockOwner();

	/**
	 * Section of the thread that holds the local lock, {@code null} before its tenure.
	 */
	private CurrentTenure.@Nullable Section section;

	/** Whether the holder of this lock is marked as a leader. */
	private volatile boolean leader;

	KeyLock(Key key, LockContext context) {
		this.key = key;
		this.context = context;
		this.local = new LocalLock(context.time().source(), () -> context.lifecycle().requireRunning(key));
	}

	Key key() {
		return this.key;
	}

	LockContext context() {
		return this.context;
	}

	void markLeader() {
		this.leader = true;
	}

	void lock(LockTerms terms) {
		if (!tryReenter()) {
			requireAcquirable();
			try (LockWait wait = this.context.startWait()) {
				this.local.lock();
				wait.ended(acquireUninterruptibly(terms, WaitLimit.FOREVER));
			}
		}
	}

	boolean tryLock(LockTerms terms) {
		if (tryReenter()) {
			return true;
		}
		requireAcquirable();
		try (LockWait wait = this.context.startWait()) {
			return wait.ended(this.local.tryLock() && acquireUninterruptibly(terms, 0));
		}
	}

	boolean tryLock(long waitNanos, LockTerms terms) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (tryReenter()) {
			return true;
		}
		requireAcquirable();
		try (LockWait wait = this.context.startWait()) {
			return wait.ended(this.local.tryLock(waitNanos) && acquire(terms, remaining(waitNanos, wait.nanos())));
		}
	}

	private void requireAcquirable() {
		this.context.lifecycle().requireRunning(this.key);
		this.context.currentTenure().requireNone(this.key);
	}

	private static long remaining(long wait, long waited) {
		// At least a nanosecond, because 0 is a limit of one request.
		return (wait == 0 || wait == WaitLimit.FOREVER) ? wait : Math.max(1, wait - waited);
	}

	private boolean tryReenter() {
		if (!this.local.isHeldByCurrentThread()) {
			return false;
		}
		tenure().requireValid();
		this.local.reenter();
		return true;
	}

	/** Requests the lock from the store. The thread holds the local lock. */
	private boolean acquire(LockTerms terms, long waitNanos) throws InterruptedException {
		boolean acquired = false;
		try {
			Acquisition acquisition = acquisition(terms, waitNanos);
			try {
				acquired = begin(Futures.await(acquisition.start(), this.context.time()));
			}
			catch (InterruptedException ex) {
				acquisition.cancel();
				throw ex;
			}
		}
		finally {
			leaveUnless(acquired);
		}
		return acquired;
	}

	/** Requests the lock from the store. The thread holds the local lock. */
	private boolean acquireUninterruptibly(LockTerms terms, long waitNanos) {
		boolean acquired = false;
		try {
			acquired = begin(Futures.awaitUninterruptibly(acquisition(terms, waitNanos).start(), this.context.time()));
		}
		finally {
			leaveUnless(acquired);
		}
		return acquired;
	}

	private Acquisition acquisition(LockTerms terms, long waitNanos) {
		Tenure abandoned = this.owner.tenure();
		if (abandoned != null) {
			abandoned.lease().lose(Reason.ABANDONED);
			this.owner.end();
		}
		// Not before, because the loss of the abandoned tenure unpins this lock.
		this.context.pin(this.local, this);
		return this.context.acquisition(this.key, terms, WaitLimit.of(this.context.time(), waitNanos), this.leader);
	}

	/** Makes the current thread the owner if a lease was granted. */
	private boolean begin(@Nullable Lease lease) {
		if (lease == null) {
			return false;
		}
		boolean begun = false;
		try {
			Tenure tenure = this.context.tenure(this.key, lease);
			Thread thread = Thread.currentThread();
			lease.renewWhile(thread::isAlive);
			this.owner.begin(tenure);
			tenure.onLost((loss) -> lost(tenure, loss));
			this.section = this.context.currentTenure().enter(tenure);
			begun = true;
		}
		finally {
			if (!begun) {
				lease.release(Duration.ZERO);
			}
		}
		return true;
	}

	private void leaveUnless(boolean acquired) {
		if (!acquired) {
			leave();
		}
	}

	/** Releases the local lock. */
	private void leave() {
		if (this.section != null) {
			this.section.end();
			this.section = null;
		}
		this.owner.end();
		this.context.unpin(this.local);
		this.local.unlock();
	}

	void unlock() {
		if (!this.local.isHeldByCurrentThread()) {
			throw new IllegalMonitorStateException("Lock '" + this.key
					+ "' is not held by this thread. Unlock it on the thread that locked it, and as often");
		}
		Tenure tenure = tenure();
		if (this.local.holds() > 1) {
			this.local.unlock();
			tenure.requireValid();
			return;
		}
		boolean held;
		try {
			CompletableFuture<Boolean> released = tenure.lease().release(Duration.ZERO);
			held = Futures.awaitUninterruptibly(this.context.lifecycle().confirmation(released), this.context.time());
		}
		finally {
			leave();
		}
		if (!held) {
			throw new LockLostException(tenure.lease().status().lossOrEnd());
		}
	}

	/** Handles a loss on a thread that may block. */
	private void lost(Tenure tenure, LockLoss loss) {
		this.context.logLoss(loss);
		if (this.context.options().interruptHolder()) {
			this.owner.interrupt(tenure);
		}
		this.lossListeners.report(loss);
		unpinOnceOwnerIsDead(tenure);
	}

	/**
	 * Returns this lock for acquisitions without an owner.
	 * @throws IllegalStateException if the current thread holds the lock or runs a
	 * section that does, or if the registry is stopped
	 */
	UnownedLock unowned() {
		if (isHeldByCurrentThread()) {
			throw new IllegalStateException("Lock '" + this.key
					+ "' is already held by this thread, which cannot wait for itself. Release it first");
		}
		requireAcquirable();
		return new UnownedLock(this.key, this.context, this.lossListeners, this.leader);
	}

	/**
	 * Lets this lock be garbage collected once the thread that held it has ended without
	 * unlocking it, unless another thread has acquired it.
	 */
	private void unpinOnceOwnerIsDead(Tenure lost) {
		if (this.owner.endIfDead(lost, () -> this.context.unpin(this.local))) {
			this.context.time().schedule(ABANDONED_CHECK_INTERVAL, () -> unpinOnceOwnerIsDead(lost));
		}
	}

	boolean isHeldByCurrentThread() {
		return this.local.isHeldByCurrentThread();
	}

	/** Returns the current tenure, or {@code null} if no thread holds the lock. */
	@Nullable Tenure currentTenure() {
		return this.owner.tenure();
	}

	/**
	 * Returns the current tenure.
	 * @throws IllegalMonitorStateException if no thread holds the lock
	 */
	Tenure tenure() {
		Tenure tenure = this.owner.tenure();
		if (tenure == null) {
			throw new IllegalMonitorStateException(
					"Lock '" + this.key + "' is not held through this registry. Acquire it first");
		}
		return tenure;
	}

	void addLossListener(Consumer<LockLoss> listener) {
		synchronized (this.lossListeners) {
			this.lossListeners.add(listener);
			this.context.pin(this.lossListeners, this);
		}
	}

	void removeLossListener(Consumer<LockLoss> listener) {
		synchronized (this.lossListeners) {
			this.lossListeners.remove(listener);
			if (this.lossListeners.isEmpty()) {
				this.context.unpin(this.lossListeners);
			}
		}
	}

	/** Reads the holder of the lock from the store. */
	Optional<String> holder() {
		return this.context.holder(this.key);
	}

	/** Ends the waits of local threads if the registry is stopped. */
	void wakeWaiters() {
		this.local.wakeWaiters();
	}

}
