package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock that is held in a state store, for all processes that use the store, with a
 * token that lets the store itself refuse the writes of a holder that has lost it
 * (protocol sections 5 and 7).
 * <p>
 * <b>Threads.</b> Like a {@link java.util.concurrent.locks.ReentrantLock} it is held by
 * one thread at a time, which may acquire it again, and must be released by that thread.
 * Two lock objects of the same key exclude each other like two processes. It is not fair.
 * <p>
 * <b>Lease.</b> The store keeps the lock for a lease, which is renewed in the background
 * for as long as the lock is held. If no renewal is confirmed in time, or the store says
 * that the lock is gone, it is <em>lost</em>: {@link #isValid()} turns false not later
 * than the store gives the lock to somebody else, listeners are told, writes through
 * {@link #operations()} are refused, and {@link #unlock()} throws
 * {@link LockLostException}. A lost lock stays occupied within this process until the
 * thread that held it has unlocked it.
 * <p>
 * <b>Waiting.</b> A waiter observes the key and asks again when it is freed, and from
 * time to time at least once in a lease. {@link #lock()} and {@link #lockInterruptibly()}
 * wait through outages of the connection. {@code tryLock} returns {@code false} if
 * somebody else held the lock to the end of the time to wait, and throws if the store has
 * not answered within it, or a second if it is shorter.
 * <p>
 * All methods that acquire throw
 * <ul>
 * <li>{@link io.statestore.client.StateStoreRefusedException} if the store refused,</li>
 * <li>{@link io.statestore.client.StateStoreNotSentException} or
 * {@link io.statestore.client.StateStoreOutcomeUnknownException} if it did not answer;
 * what it may have granted is given back,</li>
 * <li>{@link IllegalStateException} if the registry is stopped.</li>
 * </ul>
 */
public interface FencedLock extends DistributedLock {

	/** The key of the lock in the store. */
	Key key();

	/**
	 * Wait for the lock, without end. An interrupt does not end the wait; the thread
	 * still has it afterwards.
	 * @throws LockLostException if this thread holds the lock already and has lost it
	 */
	@Override
	void lock();

	/**
	 * Like {@link #lock()}, with another lease, which is renewed too.
	 * @param ttl the lease, 100 ms to a day
	 */
	@Override
	void lock(Duration ttl);

	/**
	 * Acquire the lock if nobody holds it now.
	 * @return {@code false} if somebody does, or if this thread did and has lost it; in
	 * that case the thread does not hold it any more, however often it had acquired it
	 */
	@Override
	boolean tryLock();

	/**
	 * Wait for the lock.
	 * @return {@code false} if somebody else held it all the time, or as
	 * {@link #tryLock()} at once if this thread has lost it
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Like {@link #tryLock(long, TimeUnit)}, with another lease, which is renewed too.
	 * @param ttl the lease, 100 ms to a day
	 */
	@Override
	boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

	/**
	 * Release the lock. Returns when the store has confirmed it, or when its reply is
	 * overdue: then the store frees the lock at the latest at the end of the lease.
	 * @throws LockLostException if it was lost before; it is not held any more
	 * @throws IllegalMonitorStateException if this thread does not hold it
	 */
	@Override
	void unlock();

	/** There are none. */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException(
				"A lock in a state store has no conditions. Observe a key with StateStoreOperations.observe instead");
	}

	/**
	 * Whether a thread of this process holds the lock through this object, as far as that
	 * can be known without asking: the lease is not over and nobody has said that the
	 * lock is lost. Sends nothing.
	 */
	boolean isValid();

	/** Whether this thread has acquired the lock and not released it, lost or not. */
	boolean isHeldByCurrentThread();

	/**
	 * The present tenure, whichever thread holds it, lost or not.
	 * @throws IllegalMonitorStateException if no thread of this process holds the lock
	 * through this object
	 */
	Tenure tenure();

	/** The token of the {@linkplain #tenure() present tenure}. */
	default FencingToken token() {
		return tenure().token();
	}

	/** What is left of the lease if nothing renews it; zero if the lock is not held. */
	Duration remaining();

	/** {@linkplain Tenure#operations() Fenced} by the present tenure. */
	default StateStoreOperations operations() {
		return tenure().operations();
	}

	/**
	 * Be told of each loss of this lock, once, on a thread that may be blocked and holds
	 * up no renewals.
	 */
	void addLossListener(Consumer<LockLoss> listener);

	/** Not to be told any more. */
	void removeLossListener(Consumer<LockLoss> listener);

	/**
	 * Ask the store who holds the lock.
	 * @return the name of the process and a number of the tenure if it is one of ours,
	 * anything with other clients, empty if the lock is free
	 * @throws StateStoreException if the store does not say
	 */
	Optional<String> holder();

	/**
	 * Wait for the lock, do something, release it.
	 * @throws InterruptedException if interrupted while waiting for the lock
	 * @throws LockLostException if the lock was lost before the end of the callback; if
	 * the callback threw, that is thrown and this is suppressed in it
	 */
	<T, E extends Exception> T execute(Callback<T, E> callback) throws E, InterruptedException;

	/** What to do while the lock is held. */
	@FunctionalInterface
	interface Callback<T, E extends Exception> {

		T call(Tenure tenure) throws E;

	}

}
