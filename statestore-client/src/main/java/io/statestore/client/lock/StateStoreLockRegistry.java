package io.statestore.client.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * The locks of a state store. Give it to anything of Spring Integration that takes a lock
 * registry, or {@link #obtain} locks from it.
 * <p>
 * It always returns the same object for the same key and lease, unless that was forgotten
 * by {@link #expireUnusedOlderThan}. Two registries exclude each other like two
 * processes. Safe for use by several threads.
 * <p>
 * It works without being started. {@link #stop()} gives back every lock, which its holder
 * learns as a {@linkplain LockLoss.Reason#STOPPED loss}, and ends every wait with an
 * {@link IllegalStateException}; after {@link #start()} it works again.
 */
public final class StateStoreLockRegistry
		implements ExpirableLockRegistry<FencedLock>, RenewableLockRegistry<FencedLock>, SmartLifecycle {

	/** After the connection is there, and before it goes. */
	public static final int PHASE = 100;

	private final Map<KeyAndLease, StateStoreLock> locks = new ConcurrentHashMap<>();

	private final LockHome home;

	/** Locks with default options. */
	public StateStoreLockRegistry(StateStoreTemplate template) {
		this(template, LockOptions.DEFAULT);
	}

	/**
	 * @param template stores the locks. Without a
	 * {@link io.statestore.client.KeyObserver} waiters ask every second
	 * @param options how locks are held
	 */
	public StateStoreLockRegistry(StateStoreTemplate template, LockOptions options) {
		LockThreads threads = new LockThreads();
		this.home = new LockHome(template, options, threads, threads);
	}

	/** For tests, with time of their own. */
	StateStoreLockRegistry(LockHome home) {
		this.home = home;
	}

	/**
	 * The lock of a key, which is not acquired by that.
	 * @param lockKey a {@link Key}, or a text, to which the prefix of the options is
	 * added
	 * @throws IllegalArgumentException for anything else
	 */
	@Override
	public FencedLock obtain(Object lockKey) {
		return obtain(lockKey, this.home.options().lease());
	}

	/**
	 * The lock of a key, with a lease of its own for the methods that take none. Another
	 * object than that of {@link #obtain(Object)} if the leases differ, and not known to
	 * {@link #renewLock(Object)} then.
	 * @param lease 100 ms to a day
	 */
	public FencedLock obtain(Object lockKey, Duration lease) {
		// Within, so that it is not forgotten between here and its use.
		return this.locks.compute(new KeyAndLease(key(lockKey), LockOptions.requireLease("lease", lease)),
				(id, lock) -> ((lock != null) ? lock : new StateStoreLock(id.key(), this.home, id.lease())).touched());
	}

	/** The key of a lock in the store. */
	Key key(Object lockKey) {
		if (lockKey instanceof Key key) {
			return key;
		}
		if (lockKey instanceof String text) {
			return Key.of(this.home.options().keyPrefix() + text);
		}
		throw new IllegalArgumentException(
				"'lockKey' must be a String or a Key, but is a " + lockKey.getClass().getName() + ". Pass its text");
	}

	LockHome home() {
		return this.home;
	}

	/**
	 * Forget locks that no thread holds or waits for, and that none has used for a while.
	 * @param age milliseconds
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
		long before = this.home.time().nanoTime() - TimeUnit.MILLISECONDS.toNanos(age);
		this.locks.keySet()
			.forEach((key) -> this.locks.computeIfPresent(key,
					(same, lock) -> lock.isUnusedSince(before) ? null : lock));
	}

	/**
	 * Renew a lock now. Not needed to keep it: it is renewed as long as it is held.
	 * @throws IllegalMonitorStateException if this thread does not hold it
	 * @throws LockLostException if it is lost
	 * @throws StateStoreException if it is not known whether it was renewed; it may still
	 * be valid
	 */
	@Override
	public void renewLock(Object lockKey) {
		renew(lockKey, null);
	}

	/**
	 * Like {@link #renewLock(Object)}, with another lease from now on.
	 * @param ttl the lease, 100 ms to a day
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		renew(lockKey, LockOptions.requireLease("ttl", ttl));
	}

	private void renew(Object lockKey, @Nullable Duration lease) {
		FencedLock lock = obtain(lockKey);
		if (!lock.isHeldByCurrentThread()) {
			throw new IllegalMonitorStateException(
					"Lock '" + lock.key() + "' is not held by this thread. Renew it on the thread that locked it");
		}
		Tenure tenure = lock.tenure();
		if (!Waiting.uninterruptibly(tenure.lease().renew(lease))) {
			throw new LockLostException(tenure.lease().lossOrEnd());
		}
	}

	@Override
	public void start() {
		this.home.start();
	}

	@Override
	public void stop() {
		this.home.stop();
	}

	@Override
	public boolean isRunning() {
		return this.home.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	private record KeyAndLease(Key key, Duration lease) {
	}

}
