package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.lock.LockLoss.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Lock of one key, which binds its tenures to threads. A thread first acquires the local
 * lock, so at most one thread of this process requests the lock from the store. It keeps
 * the local lock until it has unlocked, even if the tenure is lost meanwhile.
 */
final class KeyLock {

	/** Interval in which the owner of a lost lock is checked to be alive. */
	private static final Duration ABANDONED_CHECK_INTERVAL = Duration.ofSeconds(1);

	/**
	 * Keeps an interrupt from reaching a thread that has just unlocked, and guards
	 * changes of the listeners.
	 */
	private final ReentrantLock ownerGuard = new ReentrantLock();

	private final List<Consumer<LockLoss>> lossListeners = new CopyOnWriteArrayList<>();

	/** Keeps this lock from being collected while it has listeners. */
	private final Object lossListenersPin = new Object();

	private final Key key;

	private final LockHome home;

	private final LocalLock local;

	/** Changed with the local lock held. */
	private volatile @Nullable Tenure tenure;

	private @Nullable Thread owner;

	KeyLock(Key key, LockHome home) {
		this.key = key;
		this.home = home;
		this.local = new LocalLock(() -> home.requireRunning(key));
	}

	Key key() {
		return this.key;
	}

	LockHome home() {
		return this.home;
	}

	void lock(Duration lease) {
		LockTerms terms = terms(lease);
		if (!reenter()) {
			this.home.requireRunning(this.key);
			this.local.lock();
			acquireUninterruptibly(terms, WaitLimit.FOREVER);
		}
	}

	boolean tryLock(Duration lease) {
		LockTerms terms = terms(lease);
		if (reenter()) {
			return true;
		}
		this.home.requireRunning(this.key);
		return this.local.tryLock() && acquireUninterruptibly(terms, 0);
	}

	boolean tryLock(long waitNanos, Duration lease) throws InterruptedException {
		LockTerms terms = terms(lease);
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (reenter()) {
			return true;
		}
		this.home.requireRunning(this.key);
		long start = this.home.time().nanoTime();
		return this.local.tryLock(waitNanos) && acquire(terms, left(waitNanos, this.home.time().nanoTime() - start));
	}

	private static long left(long wait, long waited) {
		// At least a nanosecond, because 0 is a limit of one request.
		return (wait == 0 || wait == WaitLimit.FOREVER) ? wait : Math.max(1, wait - waited);
	}

	private boolean reenter() {
		if (!this.local.isHeldByCurrentThread()) {
			return false;
		}
		tenure().requireValid();
		this.local.reenter();
		return true;
	}

	/** Requests the lock from the store. The thread has the local lock. */
	private boolean acquire(LockTerms terms, long waitNanos) throws InterruptedException {
		boolean acquired = false;
		try {
			Acquisition acquisition = acquisition(terms, waitNanos);
			try {
				acquired = begin(Waiting.interruptibly(acquisition.start()));
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

	/** Requests the lock from the store. The thread has the local lock. */
	private boolean acquireUninterruptibly(LockTerms terms, long waitNanos) {
		boolean acquired = false;
		try {
			acquired = begin(Waiting.uninterruptibly(acquisition(terms, waitNanos).start()));
		}
		finally {
			leaveUnless(acquired);
		}
		return acquired;
	}

	private Acquisition acquisition(LockTerms terms, long waitNanos) {
		Tenure abandoned = this.tenure;
		if (abandoned != null) {
			abandoned.lease().lose(Reason.ABANDONED);
			changeOwner(null, null);
		}
		// Not before, because the loss of the abandoned tenure unpins this lock.
		this.home.pin(this.local, this);
		return this.home.acquisition(this.key, terms, WaitLimit.of(this.home.time(), waitNanos));
	}

	private boolean begin(@Nullable Lease lease) {
		if (lease == null) {
			return false;
		}
		boolean begun = false;
		try {
			Tenure tenure = this.home.tenure(this.key, lease);
			Thread thread = Thread.currentThread();
			lease.renewWhile(thread::isAlive);
			changeOwner(tenure, thread);
			tenure.onLost((loss) -> lost(tenure, loss));
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

	private void leave() {
		changeOwner(null, null);
		this.home.unpin(this.local);
		this.local.unlock();
	}

	private static LockTerms terms(Duration lease) {
		return new LockTerms(LockOptions.requireLease("ttl", lease), true);
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
			held = Waiting.uninterruptibly(tenure.lease().release(Duration.ZERO));
		}
		finally {
			leave();
		}
		if (!held) {
			throw new LockLostException(tenure.lease().lossOrEnd());
		}
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

	/** Called on a thread for callbacks. */
	private void lost(Tenure tenure, LockLoss loss) {
		this.home.lost(loss);
		if (this.home.options().interruptHolder()) {
			interruptOwner(tenure);
		}
		this.lossListeners.forEach((listener) -> StateStoreLock.tell(listener, loss));
		forgetOnceAbandoned(tenure);
	}

	/**
	 * Lets this lock be collected once the thread that held it has ended without
	 * unlocking it, unless another thread has acquired it meanwhile.
	 */
	private void forgetOnceAbandoned(Tenure lost) {
		this.ownerGuard.lock();
		try {
			if (this.tenure != lost || this.owner == null) {
				return;
			}
			if (!this.owner.isAlive()) {
				this.tenure = null;
				this.owner = null;
				this.home.unpin(this.local);
				return;
			}
		}
		finally {
			this.ownerGuard.unlock();
		}
		this.home.time().schedule(ABANDONED_CHECK_INTERVAL, () -> forgetOnceAbandoned(lost));
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

	boolean isHeldByCurrentThread() {
		return this.local.isHeldByCurrentThread();
	}

	/** Returns the present tenure, {@code null} if no thread holds the lock. */
	@Nullable Tenure currentTenure() {
		return this.tenure;
	}

	/** Returns the present tenure. */
	Tenure tenure() {
		Tenure tenure = this.tenure;
		if (tenure == null) {
			throw new IllegalMonitorStateException(
					"Lock '" + this.key + "' is not held through this registry. Acquire it first");
		}
		return tenure;
	}

	void addLossListener(Consumer<LockLoss> listener) {
		this.ownerGuard.lock();
		try {
			this.lossListeners.add(listener);
			this.home.pin(this.lossListenersPin, this);
		}
		finally {
			this.ownerGuard.unlock();
		}
	}

	void removeLossListener(Consumer<LockLoss> listener) {
		this.ownerGuard.lock();
		try {
			this.lossListeners.remove(listener);
			if (this.lossListeners.isEmpty()) {
				this.home.unpin(this.lossListenersPin);
			}
		}
		finally {
			this.ownerGuard.unlock();
		}
	}

	/** Ends the waits of local threads if the home is stopped. */
	void wakeWaiters() {
		this.local.wakeWaiters();
	}

}
