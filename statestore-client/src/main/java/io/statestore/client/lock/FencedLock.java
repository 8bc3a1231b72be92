package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Lock that a state store holds for all processes that use the store. Its fencing token
 * lets the store refuse the writes of a holder that has lost the lock (protocol sections
 * 5 and 7).
 * <p>
 * <b>Threads.</b> Like a {@link java.util.concurrent.locks.ReentrantLock}, it is held by
 * one thread at a time. That thread may acquire it again, and must release it as often.
 * If the thread ends without doing so, the lock is lost and released. Locks of different
 * registries exclude each other like two processes. The lock is not fair.
 * <p>
 * <b>Lease.</b> The store keeps the lock for a lease, which is renewed in the background
 * for as long as the lock is held. The lock is <em>lost</em> if no renewal is confirmed
 * in time, or the store reports another holder or none. Then {@link #isValid()} returns
 * {@code false}, no later than the store grants the lock to another holder. Listeners are
 * notified, and writes through {@link #operations()} are refused. The lock stays occupied
 * within this process until the thread that held it has unlocked it. Until then each of
 * its calls to acquire, {@link #unlock()} or {@code execute} throws
 * {@link LockLostException}, nested ones included.
 * <p>
 * <b>Waiting.</b> A waiter observes the key and repeats its request when the lock is
 * released, and at least once in a lease. {@link #lock()} and
 * {@link #lockInterruptibly()} wait through outages of the connection. {@code tryLock}
 * returns {@code false} if another holder kept the lock until the time to wait was over.
 * It throws if the store has not answered within that time, or within a second if the
 * time is shorter.
 * <p>
 * All methods that acquire throw
 * <ul>
 * <li>{@link LockLostException} if this thread holds the lock and has lost it,</li>
 * <li>{@link io.statestore.client.StateStoreRefusedException} if the store refused,</li>
 * <li>{@link io.statestore.client.StateStoreInvalidRequestException} if the broker does
 * not accept a request with so long a key,</li>
 * <li>{@link io.statestore.client.StateStoreNotSentException} or
 * {@link io.statestore.client.StateStoreOutcomeUnknownException} if it did not answer; a
 * lock that it may have granted is released,</li>
 * <li>{@link IllegalStateException} if the registry is stopped, also while they
 * wait.</li>
 * </ul>
 */
public interface FencedLock extends DistributedLock {

	/**
	 * Returns the key of the lock in the store.
	 * @return the key, with the prefix of the registry
	 */
	Key key();

	/**
	 * Waits for the lock without limit. An interrupt does not end the wait; the thread is
	 * interrupted again afterwards.
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	void lock();

	/**
	 * Waits for the lock like {@link #lock()}, with another lease, which is renewed too.
	 * @param ttl the lease, 100 ms to a day
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws IllegalStateException if the registry is stopped
	 */
	@Override
	void lock(Duration ttl);

	/**
	 * Acquires the lock if no other holder has it now.
	 * @return {@code false} if another holder has it
	 * @throws LockLostException if this thread holds the lock and has lost it. The thread
	 * still has to unlock it, as often as it had acquired it
	 * @throws StateStoreException if the store refused, or did not answer within a second
	 */
	@Override
	boolean tryLock();

	/**
	 * Waits for the lock.
	 * @param time longest wait; zero or less for one request
	 * @param unit unit of the time
	 * @return {@code false} if another holder had it all the time
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused, or has not answered
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Waits for the lock like {@link #tryLock(long, TimeUnit)}, with another lease, which
	 * is renewed too.
	 * @param waitTime longest wait; zero or less for one request
	 * @param ttl the lease, 100 ms to a day
	 * @return {@code false} if another holder had it all the time
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if this thread holds the lock and has lost it
	 * @throws StateStoreException if the store refused, or has not answered
	 */
	@Override
	boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

	/**
	 * Releases one hold of the lock, and the lock with the last one. Returns when the
	 * store has confirmed the release. If its reply is overdue, returns as well: the
	 * store releases the lock at the end of the lease.
	 * @throws LockLostException if the lock was lost. The hold is released nevertheless
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 */
	@Override
	void unlock();

	/**
	 * Throws an exception, because the lock has no conditions.
	 * @return nothing
	 * @throws UnsupportedOperationException always
	 */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException(
				"A lock in a state store has no conditions. Observe a key with StateStoreOperations.observe instead");
	}

	/**
	 * Returns whether a thread of this process validly holds the lock, as far as this
	 * process knows: the lease is not over, and no loss has been reported. Sends nothing.
	 * @return whether the lock is held and not lost
	 */
	boolean isValid();

	/**
	 * Returns whether this thread has acquired the lock and not yet released it, lost or
	 * not.
	 * @return whether this thread has to unlock it
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Returns the present tenure, whichever thread holds it, lost or not.
	 * @return the tenure
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	Tenure tenure();

	/**
	 * Returns the token of the {@linkplain #tenure() present tenure}.
	 * @return the token
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	default FencingToken token() {
		return tenure().token();
	}

	/**
	 * Returns the rest of the lease unless it is renewed.
	 * @return the rest, zero if the lock is not validly held
	 */
	Duration remaining();

	/**
	 * Returns the store, {@linkplain Tenure#operations() fenced} by the present tenure.
	 * @return fenced operations
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 */
	default StateStoreOperations operations() {
		return tenure().operations();
	}

	/**
	 * Adds a listener, which is notified once of each loss of this lock. It runs on a
	 * thread that may be blocked and that does not delay renewals.
	 * @param listener the listener
	 */
	void addLossListener(Consumer<LockLoss> listener);

	/**
	 * Removes a listener.
	 * @param listener the listener
	 */
	void removeLossListener(Consumer<LockLoss> listener);

	/**
	 * Reads from the store which holder has the lock.
	 * @return the name of the process and a number of the tenure for a holder of this
	 * library; the value of the key for another client, in hexadecimal digits after
	 * {@code 0x} if it is not readable text; empty if the lock is free
	 * @throws StateStoreException if the store does not answer
	 */
	Optional<String> holder();

	/**
	 * Waits for the lock, runs a callback, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of the exception of the callback
	 * @param callback runs while the lock is held
	 * @return the result of the callback
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws LockLostException if the lock was lost before the end of the callback. If
	 * the callback threw, its exception is thrown and this one is suppressed in it
	 */
	<T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException;

	/**
	 * Waits for the lock up to a limit, runs a callback, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of the exception of the callback
	 * @param waitTime longest wait; zero or less for one request
	 * @param callback runs while the lock is held
	 * @return the result of the callback
	 * @throws E if the callback throws
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws TimeoutException if another holder had the lock all the time
	 * @throws LockLostException if the lock was lost before the end of the callback. If
	 * the callback threw, its exception is thrown and this one is suppressed in it
	 */
	<T, E extends Exception> T execute(Duration waitTime, Callback<T, E> callback)
			throws E, InterruptedException, TimeoutException;

	/**
	 * Work under a lock.
	 *
	 * @param <T> type of the result
	 * @param <E> type of the exception
	 */
	@FunctionalInterface
	interface Callback<T, E extends Exception> {

		/**
		 * Works under the lock.
		 * @param tenure present tenure of the lock
		 * @return the result
		 * @throws E if the work fails
		 */
		T call(Tenure tenure) throws E;

	}

}
