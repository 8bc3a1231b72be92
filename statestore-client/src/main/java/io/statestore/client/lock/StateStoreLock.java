package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

	StateStoreLock(KeyLock lock, Duration lease, @Nullable Duration maxHold) {
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
		this.lock.lockUninterruptibly(this.terms, WaitLimit.FOREVER);
	}

	@Override
	public void lock(Duration ttl) {
		this.lock.lockUninterruptibly(terms(ttl), WaitLimit.FOREVER);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.lock.lock(this.terms, WaitLimit.FOREVER, true);
	}

	@Override
	public boolean tryLock() {
		return this.lock.lockUninterruptibly(this.terms, 0);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.lock.lock(this.terms, Math.max(0, unit.toNanos(time)), true);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return this.lock.lock(terms(ttl), nanos(waitTime), true);
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
		return runAndUnlock(() -> callback.call(heldLock()));
	}

	@Override
	public <T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
			throws E, InterruptedException, TimeoutException {
		requireAcquired(this.lock.lock(this.terms, nanos(waitTime), true), waitTime);
		return runAndUnlock(() -> callback.call(heldLock()));
	}

	@Override
	public <T, E extends Exception> CompletableFuture<T> executeAsync(Duration waitTime,
			Callback<? extends CompletionStage<T>, E> callback) throws E, InterruptedException, TimeoutException {
		HeldLock held = this.lock.acquireUnowned(this.terms, nanos(waitTime));
		if (held == null) {
			throw notAcquired(waitTime);
		}
		try {
			CompletionStage<T> work = held.call(() -> callback.call(held));
			CompletableFuture<T> result = new CompletableFuture<>();
			// Not when the result is canceled, because that does not stop the work.
			// Continuations of the result may block, so they run on threads of their own.
			work.whenComplete((value, failure) -> held.lease()
				.release()
				.whenCompleteAsync((valid, unused) -> complete(result, value, failure, valid ? null : held),
						this.lock.registry().replies()));
			return result;
		}
		catch (Throwable ex) {
			held.lease().release();
			throw ex;
		}
	}

	private static <T> void complete(CompletableFuture<T> result, T value, @Nullable Throwable failure,
			@Nullable HeldLock lost) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : null;
		Throwable thrown = (cause != null) ? cause : failure;
		if (lost != null) {
			LockLostException loss = new LockLostException(lost.lease().status().lossOrEnd());
			if (thrown != null) {
				thrown.addSuppressed(loss);
			}
			else {
				thrown = loss;
			}
		}
		if (thrown != null) {
			result.completeExceptionally(thrown);
		}
		else {
			result.complete(value);
		}
	}

	@Override
	public FencedLock withMaxHold(Duration maxHold) {
		return new StateStoreLock(this.lock, this.lease, LockOptions.requireMaxHold(maxHold));
	}

	/** Requires that this lock was acquired within a time. */
	void requireAcquired(boolean acquired, Duration waitTime) throws TimeoutException {
		if (!acquired) {
			throw notAcquired(waitTime);
		}
	}

	private TimeoutException notAcquired(Duration waitTime) {
		return new TimeoutException("Lock '" + key() + "' was not acquired within " + waitTime
				+ " because another holder has it. Wait longer, or try again later");
	}

	/**
	 * Runs a task while this lock is held, and unlocks it. If both the task and the
	 * unlock throw, the exception of the unlock is suppressed in that of the task.
	 */
	<T, E extends Throwable> T runAndUnlock(CheckedCallable<T, E> task) throws E {
		T result;
		try {
			result = heldLock().call(task);
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
		HeldLock held = this.lock.heldOrNull();
		return held != null && held.isValid();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.lock.isHeldByCurrentThread();
	}

	@Override
	public HeldLock heldLock() {
		return this.lock.held();
	}

	@Override
	public Duration remaining() {
		HeldLock held = this.lock.heldOrNull();
		return (held != null) ? held.remaining() : Duration.ZERO;
	}

	@Override
	public void addLossListener(Consumer<LockLostEvent> listener) {
		this.lock.addLossListener(listener);
	}

	@Override
	public void removeLossListener(Consumer<LockLostEvent> listener) {
		this.lock.removeLossListener(listener);
	}

	@Override
	public Optional<String> holder() {
		return this.lock.registry().holder(key());
	}

	@Override
	public String toString() {
		HeldLock held = this.lock.heldOrNull();
		return "FencedLock[" + key() + ((held != null) ? ", held, " + held + "]" : "]");
	}

}
