package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds the tenures of one key to threads. A thread first gets the local lock, so at most
 * one thread of this process asks the store; it keeps it until it has unlocked, even if
 * the tenure is lost meanwhile.
 */
final class StateStoreLock implements FencedLock {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLock.class);

	private final ReentrantLock local = new ReentrantLock();

	/** Keeps an interrupt from reaching a thread that has just unlocked. */
	private final ReentrantLock ownerGuard = new ReentrantLock();

	private final List<Consumer<LockLoss>> lossListeners = new CopyOnWriteArrayList<>();

	private final Key key;

	private final LockHome home;

	/** Where the caller names none. */
	private final Duration lease;

	/** Changed with the local lock held. */
	private volatile @Nullable Tenure tenure;

	private @Nullable Thread owner;

	private volatile long lastUsed;

	StateStoreLock(Key key, LockHome home, Duration lease) {
		this.key = key;
		this.home = home;
		this.lease = lease;
		this.lastUsed = home.time().nanoTime();
	}

	@Override
	public Key key() {
		return this.key;
	}

	@Override
	public void lock() {
		lock(this.lease);
	}

	@Override
	public void lock(Duration ttl) {
		LockTerms terms = terms(ttl);
		this.local.lock();
		boolean acquired = false;
		try {
			acquired = isReentered() || begin(Waiting.uninterruptibly(acquisition(terms, Acquisition.FOREVER).start()));
		}
		finally {
			leaveUnless(acquired);
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		LockTerms terms = terms(this.lease);
		this.local.lockInterruptibly();
		boolean acquired = false;
		try {
			acquired = isReentered() || acquire(terms, Acquisition.FOREVER);
		}
		finally {
			leaveUnless(acquired);
		}
	}

	@Override
	public boolean tryLock() {
		LockTerms terms = terms(this.lease);
		if (!this.local.tryLock()) {
			return false;
		}
		boolean acquired = false;
		try {
			acquired = (this.local.getHoldCount() > 1) ? isStillValid()
					: begin(Waiting.uninterruptibly(acquisition(terms, 0).start()));
		}
		finally {
			leaveUnless(acquired);
		}
		return acquired;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Math.max(0, unit.toNanos(time)), this.lease);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return tryLock(TimeUnit.NANOSECONDS.convert(waitTime.isNegative() ? Duration.ZERO : waitTime), ttl);
	}

	private boolean tryLock(long waitNanos, Duration lease) throws InterruptedException {
		LockTerms terms = terms(lease);
		long start = this.home.time().nanoTime();
		if (!this.local.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
			return false;
		}
		boolean acquired = false;
		try {
			acquired = (this.local.getHoldCount() > 1) ? isStillValid()
					: acquire(terms, left(waitNanos, this.home.time().nanoTime() - start));
		}
		finally {
			leaveUnless(acquired);
		}
		return acquired;
	}

	private static long left(long wait, long waited) {
		// No less than any time at all, which would be a different question.
		return (wait == 0 || wait == Acquisition.FOREVER) ? wait : Math.max(1, wait - waited);
	}

	@Override
	public void unlock() {
		if (!this.local.isHeldByCurrentThread()) {
			throw new IllegalMonitorStateException("Lock '" + this.key
					+ "' is not held by this thread. Unlock it on the thread that locked it, and as often");
		}
		if (this.local.getHoldCount() > 1) {
			this.local.unlock();
			return;
		}
		Lease lease = tenure().lease();
		boolean held;
		try {
			held = Waiting.uninterruptibly(lease.release(Duration.ZERO));
		}
		finally {
			endTenure();
			this.local.unlock();
		}
		if (!held) {
			throw new LockLostException(lease.lossOrEnd());
		}
	}

	@Override
	public <T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException {
		lockInterruptibly();
		T result;
		try {
			result = callback.call(tenure());
		}
		catch (Throwable ex) {
			try {
				unlock();
			}
			catch (RuntimeException unlockFailure) {
				ex.addSuppressed(unlockFailure);
			}
			throw ex;
		}
		unlock();
		return result;
	}

	/** Has the local lock for the first time; asks the store. */
	private boolean acquire(LockTerms terms, long waitNanos) throws InterruptedException {
		Acquisition acquisition = acquisition(terms, waitNanos);
		try {
			return begin(Waiting.interruptibly(acquisition.start()));
		}
		catch (InterruptedException ex) {
			acquisition.cancel();
			throw ex;
		}
	}

	private Acquisition acquisition(LockTerms terms, long waitNanos) {
		this.lastUsed = this.home.time().nanoTime();
		return this.home.acquisition(this.key, terms, waitNanos);
	}

	private boolean begin(@Nullable Lease lease) {
		if (lease == null) {
			return false;
		}
		boolean begun = false;
		try {
			Tenure tenure = this.home.tenure(this.key, lease);
			changeOwner(tenure, Thread.currentThread());
			tenure.onLost((loss) -> lost(tenure, loss));
			begun = true;
		}
		finally {
			if (!begun) {
				// Nobody would ever release it.
				lease.release(Duration.ZERO);
				changeOwner(null, null);
			}
		}
		return true;
	}

	/** Whether the thread had the lock before and has not lost it; forgets a lost one. */
	private boolean isStillValid() {
		if (tenure().isValid()) {
			return true;
		}
		endTenure();
		while (this.local.getHoldCount() > 1) {
			this.local.unlock();
		}
		return false;
	}

	private boolean isReentered() {
		if (this.local.getHoldCount() == 1) {
			return false;
		}
		tenure().requireValid();
		return true;
	}

	private void leaveUnless(boolean acquired) {
		if (!acquired) {
			this.local.unlock();
		}
	}

	private static LockTerms terms(Duration lease) {
		return new LockTerms(LockOptions.requireLease("ttl", lease), true);
	}

	private void endTenure() {
		changeOwner(null, null);
		this.lastUsed = this.home.time().nanoTime();
	}

	private void changeOwner(@Nullable Tenure tenure, @Nullable Thread owner) {
		this.ownerGuard.lock();
		try {
			this.tenure = tenure;
			this.owner = owner;
		}
		finally {
			this.ownerGuard.unlock();
		}
	}

	/** On a thread for callbacks. */
	private void lost(Tenure tenure, LockLoss loss) {
		this.home.lost(loss);
		if (this.home.options().interruptHolder()) {
			interruptOwner(tenure);
		}
		this.lossListeners.forEach((listener) -> tell(listener, loss));
	}

	static void tell(Consumer<LockLoss> listener, LockLoss loss) {
		try {
			listener.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener for the loss of lock {} failed", loss.key(), ex);
		}
	}

	private void interruptOwner(Tenure tenure) {
		this.ownerGuard.lock();
		try {
			if (this.owner != null && this.tenure == tenure) {
				this.owner.interrupt();
			}
		}
		finally {
			this.ownerGuard.unlock();
		}
	}

	@Override
	public boolean isValid() {
		Tenure tenure = this.tenure;
		return tenure != null && tenure.isValid();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.local.isHeldByCurrentThread();
	}

	@Override
	public Tenure tenure() {
		Tenure tenure = this.tenure;
		if (tenure == null) {
			throw new IllegalMonitorStateException(
					"Lock '" + this.key + "' is not held through this object. Acquire it first");
		}
		return tenure;
	}

	@Override
	public Duration remaining() {
		Tenure tenure = this.tenure;
		return (tenure != null) ? tenure.remaining() : Duration.ZERO;
	}

	@Override
	public void addLossListener(Consumer<LockLoss> listener) {
		this.lossListeners.add(listener);
	}

	@Override
	public void removeLossListener(Consumer<LockLoss> listener) {
		this.lossListeners.remove(listener);
	}

	@Override
	public Optional<String> holder() {
		return this.home.holder(this.key);
	}

	/** Somebody is about to use it. */
	StateStoreLock touched() {
		this.lastUsed = this.home.time().nanoTime();
		return this;
	}

	/** Whether no thread has it or waits for it since then. */
	boolean isUnusedSince(long nanoTime) {
		return !this.local.isLocked() && !this.local.hasQueuedThreads() && this.lastUsed - nanoTime < 0;
	}

	@Override
	public String toString() {
		Tenure tenure = this.tenure;
		return "FencedLock[" + this.key + ((tenure != null) ? ", held, " + tenure + "]" : "]");
	}

}
