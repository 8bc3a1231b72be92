package io.statestore.client.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.util.CheckedCallable;

/** View of the lock of a key with its terms. All views of a key share one lock. */
final class StateStoreLock implements FencedLock {

	private final KeyLock lock;

	/** Terms of the methods without a lease parameter. */
	private final LockTerms terms;

	/** Lease without regard to the maximum hold, which shortens that of the terms. */
	private final Duration lease;

	StateStoreLock(KeyLock lock, Duration lease) {
		this(lock, lease, null);
	}

	private StateStoreLock(KeyLock lock, Duration lease, @Nullable Duration maxHold) {
		this.lock = lock;
		this.lease = lease;
		this.terms = new LockTerms(lease, true, maxHold);
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
		this.lock.lock(this.terms);
	}

	@Override
	public void lock(Duration ttl) {
		this.lock.lock(terms(ttl));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.lock.tryLock(WaitLimit.FOREVER, this.terms);
	}

	@Override
	public boolean tryLock() {
		return this.lock.tryLock(this.terms);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.lock.tryLock(Math.max(0, unit.toNanos(time)), this.terms);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return this.lock.tryLock(nanos(waitTime), terms(ttl));
	}

	private LockTerms terms(Duration ttl) {
		return this.terms.withLease(LockOptions.requireLease("ttl", ttl));
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
		return runAndUnlock(() -> callback.call(tenure()));
	}

	@Override
	public <T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
			throws E, InterruptedException, TimeoutException {
		requireAcquired(this.lock.tryLock(nanos(waitTime), this.terms), waitTime);
		return runAndUnlock(() -> callback.call(tenure()));
	}

	@Override
	public <T, E extends Exception> CompletableFuture<T> executeAsync(Duration waitTime,
			Callback<? extends CompletionStage<T>, E> callback) throws E, InterruptedException, TimeoutException {
		Tenure tenure = this.lock.unowned().acquire(nanos(waitTime), this.terms);
		requireAcquired(tenure != null, waitTime);
		return new AsyncSection<T>(Objects.requireNonNull(tenure), this.lock.context()).run(callback);
	}

	@Override
	public FencedLock withMaxHold(Duration maxHold) {
		return new StateStoreLock(this.lock, this.lease, LockOptions.requireMaxHold(maxHold));
	}

	/** Requires that this lock was acquired within a time. */
	void requireAcquired(boolean acquired, Duration waitTime) throws TimeoutException {
		if (!acquired) {
			throw new TimeoutException("Lock '" + key() + "' was not acquired within " + waitTime
					+ " because another holder has it. Wait longer, or try again later");
		}
	}

	/**
	 * Runs a task while this lock is held, and unlocks it. If both the task and the
	 * unlock throw, the exception of the unlock is suppressed in that of the task.
	 */
	<T, E extends Throwable> T runAndUnlock(CheckedCallable<T, E> task) throws E {
		T result;
		try {
			result = tenure().call(task);
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
