package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

import io.statestore.client.Key;
import org.springframework.integration.util.CheckedCallable;

/** View of the lock of a key with a lease. All views of a key share one lock. */
final class StateStoreLock implements FencedLock {

	private final KeyLock lock;

	/** Lease of the methods without a lease parameter. */
	private final Duration lease;

	StateStoreLock(KeyLock lock, Duration lease) {
		this.lock = lock;
		this.lease = lease;
	}

	@Override
	public Key key() {
		return this.lock.key();
	}

	@Override
	public void markLeader() {
		this.lock.markLeader();
	}

	@Override
	public void lock() {
		this.lock.lock(this.lease);
	}

	@Override
	public void lock(Duration ttl) {
		this.lock.lock(ttl);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.lock.tryLock(WaitLimit.FOREVER, this.lease);
	}

	@Override
	public boolean tryLock() {
		return this.lock.tryLock(this.lease);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.lock.tryLock(Math.max(0, unit.toNanos(time)), this.lease);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return this.lock.tryLock(nanos(waitTime), ttl);
	}

	private static long nanos(Duration waitTime) {
		return Math.max(0, TimeUnit.NANOSECONDS.convert(waitTime));
	}

	@Override
	public void unlock() {
		this.lock.unlock();
	}

	@Override
	public <T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException {
		lockInterruptibly();
		return runAndUnlock(this, () -> callback.call(tenure()));
	}

	@Override
	public <T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
			throws E, InterruptedException, TimeoutException {
		requireAcquired(tryLock(waitTime, this.lease), key(), waitTime);
		return runAndUnlock(this, () -> callback.call(tenure()));
	}

	/** Requires that a lock was acquired within a time. */
	static void requireAcquired(boolean acquired, Object key, Duration waitTime) throws TimeoutException {
		if (!acquired) {
			throw new TimeoutException("Lock '" + key + "' was not acquired within " + waitTime
					+ " because another holder has it. Wait longer, or try again later");
		}
	}

	/**
	 * Runs a task while a lock is held, and unlocks it. If both the task and the unlock
	 * throw, the exception of the unlock is suppressed in that of the task.
	 */
	static <T, E extends Throwable> T runAndUnlock(Lock lock, CheckedCallable<T, E> task) throws E {
		T result;
		try {
			result = task.call();
		}
		catch (Throwable ex) {
			try {
				lock.unlock();
			}
			catch (RuntimeException unlockFailure) {
				ex.addSuppressed(unlockFailure);
			}
			throw ex;
		}
		lock.unlock();
		return result;
	}

	@Override
	public boolean isValid() {
		Tenure tenure = this.lock.currentTenure();
		return tenure != null && tenure.isValid();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.lock.isHeldByCurrentThread();
	}

	@Override
	public Tenure tenure() {
		return this.lock.tenure();
	}

	@Override
	public Duration remaining() {
		Tenure tenure = this.lock.currentTenure();
		return (tenure != null) ? tenure.remaining() : Duration.ZERO;
	}

	@Override
	public void addLossListener(Consumer<LockLoss> listener) {
		this.lock.addLossListener(listener);
	}

	@Override
	public void removeLossListener(Consumer<LockLoss> listener) {
		this.lock.removeLossListener(listener);
	}

	@Override
	public Optional<String> holder() {
		return this.lock.holder();
	}

	@Override
	public String toString() {
		Tenure tenure = this.lock.currentTenure();
		return "FencedLock[" + key() + ((tenure != null) ? ", held, " + tenure + "]" : "]");
	}

}
