package io.statestore.client.lock;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.statestore.client.ClientResources;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.internal.LockMonitors.Outcome;
import io.statestore.client.lock.FencedLock.KeyLock;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;

/**
 * Registry of a state store's locks. {@link #obtain} returns a lock. Spring Integration
 * components accept this registry as their lock registry. Thread-safe.
 * <p>
 * <b>Identity.</b> All {@link FencedLock} objects for a key are views of the same lock.
 * The registry returns the same object for the same key and lease while the application
 * refers to it. Locks can be garbage collected if they are not referenced, are not held,
 * and do not have listeners. Different registries compete for a lock like different
 * processes.
 * <p>
 * <b>Stop.</b> The registry need not be started. {@link #stop()} refuses new acquisitions
 * and ends every wait with an {@link IllegalStateException}. Held locks are renewed for
 * up to {@link LockOptions#stopTimeout()}, so that their holders can finish and release
 * them. Locks that are still held afterward are {@linkplain LockLostEvent.Reason#STOPPED
 * lost}. The store keeps them until their holders unlock them or their leases end.
 * {@link #start()} accepts acquisitions again.
 */
public final class StateStoreLockRegistry
		implements ExpirableLockRegistry<FencedLock>, RenewableLockRegistry<FencedLock>, SmartLifecycle,
		ApplicationContextAware, ApplicationListener<ContextClosedEvent> {

	/** Lifecycle phase: the registry starts after the connection and stops before it. */
	public static final int PHASE = 100;

	private enum State {

		RUNNING,

		/** Acquisitions are refused; held locks are still renewed. */
		STOPPING,

		/** Locks are no longer renewed. */
		STOPPED

	}

	/** How long a stop waits for the store to confirm releases and deletions. */
	private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(5);

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLockRegistry.class);

	/** Monitor of successor locks, which are internal to this library. */
	private static final LockMonitors UNMONITORED = new LockMonitors();

	/**
	 * Locks that have not been garbage collected. Each entry's key is the lock's own key
	 * object. Guarded by itself.
	 */
	private final Map<Key, WeakReference<KeyLock>> locks = new WeakHashMap<>();

	/** Locks that must not be garbage collected, because they have listeners. */
	private final Set<KeyLock> kept = ConcurrentHashMap.newKeySet();

	private final LockMonitors monitors = LockMonitors.of(this);

	/** Distinguishes this process from an earlier process with the same process id. */
	private final UUID process = UUID.randomUUID();

	/** Number of acquisitions so far. */
	private final AtomicLong count = new AtomicLong();

	/** The application's template, for writes under a lock. */
	private final StateStoreTemplate template;

	/** Template for the locks, whose keys already include all prefixes. */
	private final StateStoreTemplate lockTemplate;

	/** Prefix for the keys of locks that are obtained by name. */
	private final String keyPrefix;

	private final LockOptions options;

	private final LockTime time;

	private final CurrentLocks currentLocks;

	private final Executor callbacks;

	private final Set<Acquisition> acquisitions = ConcurrentHashMap.newKeySet();

	private final Set<HeldLock> tenures = ConcurrentHashMap.newKeySet();

	private volatile State state = State.RUNNING;

	private @Nullable ApplicationContext applicationContext;

	/**
	 * Creates a registry with default options.
	 * @param template accesses the store
	 */
	public StateStoreLockRegistry(StateStoreTemplate template) {
		this(template, LockOptions.DEFAULT);
	}

	/**
	 * Creates a registry.
	 * @param template accesses the store. If it does not have a
	 * {@link io.statestore.client.KeyWatcher}, waiters repeat their requests every second
	 * @param options leases, names, and other options of the locks
	 */
	public StateStoreLockRegistry(StateStoreTemplate template, LockOptions options) {
		this(template, options, new ClientResources());
	}

	/**
	 * Creates a registry that shares resources, for example with its connection.
	 * @param template accesses the store. If it does not have a
	 * {@link io.statestore.client.KeyWatcher}, waiters repeat their requests every second
	 * @param options leases, names, and other options of the locks
	 * @param resources clock, timer, and threads; the registry does not close them
	 */
	public StateStoreLockRegistry(StateStoreTemplate template, LockOptions options, ClientResources resources) {
		this(template, options, LockTime.of(resources), resources.callbacks());
	}

	/**
	 * Creates a registry with its own clock and threads, for tests.
	 * @param callbacks runs loss listeners, which may block
	 */
	StateStoreLockRegistry(StateStoreTemplate template, LockOptions options, LockTime time, Executor callbacks) {
		this.template = template;
		this.lockTemplate = template.withKeyPrefix("").withoutLockCheck();
		this.keyPrefix = template.keyPrefix() + options.keyPrefix();
		this.options = options;
		this.time = time;
		this.callbacks = callbacks;
		this.currentLocks = new CurrentLocks(template, options.unfencedWrites(), time);
	}

	/**
	 * Returns the lock for a key without acquiring it.
	 * @param lockKey a {@link Key}, which is used unchanged, or a {@code String}, to
	 * which the template's and the options' key prefixes are added
	 * @return the lock
	 * @throws IllegalArgumentException for any other object, for {@code null}, and for a
	 * key that ends with {@code "\u005cu0000successor"}, which is reserved for waiters
	 */
	@Override
	public FencedLock obtain(Object lockKey) {
		return obtain(lockKey, this.options.lease());
	}

	/**
	 * Returns the lock for a key with another lease, which applies to the methods without
	 * a lease parameter. It is the same lock that {@link #obtain(Object)} returns, so a
	 * thread that holds one also holds the other.
	 * @param lockKey as for {@link #obtain(Object)}
	 * @param lease 100 ms to a day
	 * @return the lock
	 * @throws IllegalArgumentException if the lease is out of range, or for keys that
	 * {@link #obtain(Object)} refuses
	 */
	public FencedLock obtain(Object lockKey, Duration lease) {
		Key key = key(lockKey);
		Duration wholeLease = LockOptions.requireLease("lease", lease);
		synchronized (this.locks) {
			WeakReference<KeyLock> known = this.locks.get(key);
			KeyLock lock = (known != null) ? known.get() : null;
			if (lock == null) {
				lock = new KeyLock(key, this);
				// Otherwise, the map would keep the previous lock's key object.
				this.locks.remove(key);
				this.locks.put(key, new WeakReference<>(lock));
			}
			return lock.view(wholeLease);
		}
	}

	Key key(@Nullable Object lockKey) {
		Key key;
		if (lockKey instanceof Key given) {
			key = given;
		}
		else if (lockKey instanceof String text) {
			key = Key.of(this.keyPrefix + text);
		}
		else {
			throw new IllegalArgumentException("'lockKey' must be a String or a Key, but is "
					+ ((lockKey != null) ? "a " + lockKey.getClass().getName() + ". Convert it to a String"
							: "null. Pass the key of the lock"));
		}
		if (RequestedLock.isSuccessor(key)) {
			throw new IllegalArgumentException("'lockKey' must not end with '\\u0000successor', but is " + key
					+ ". Waiters use that key. Choose another key");
		}
		return key;
	}

	/**
	 * Returns the locks that this registry currently holds, including locks of a
	 * {@link StateStoreLockProvider}. Does not access the store.
	 * @return a snapshot, in no particular order
	 */
	public List<HeldLock> heldLocks() {
		return this.tenures.stream().filter(HeldLock::isValid).toList();
	}

	/**
	 * Frees a lock held by any process, on behalf of an operator. The next holder gets a
	 * greater fencing token, so the store refuses later writes by the former holder.
	 * <p>
	 * A holder that belongs to this registry is notified first, with the
	 * {@link LockLostEvent.Reason#FORCED FORCED} reason. A holder in another process is
	 * notified with the {@link LockLostEvent.Reason#DELETED DELETED} reason by its watch
	 * of the key, which begins, at the latest, when its first renewal is due. Holders
	 * that do not renew their locks, such as ShedLock tasks, are not notified.
	 * @param lockKey the lock's key or name, as for {@link #obtain(Object)}
	 * @return the holder that lost the lock; empty if the key is absent, if its value
	 * does not belong to a held lock, or if the holder released the lock in the meantime
	 * @throws StateStoreException if the store does not answer; the lock may still be
	 * held
	 */
	public Optional<String> forceRelease(Object lockKey) {
		Key key = key(lockKey);
		return this.lockTemplate.get(key, Bytes.class)
			.map(Entry::value)
			.filter(LockNames::isHolder)
			.filter((holder) -> forceRelease(key, holder))
			.map(HeldLock::describe);
	}

	private boolean forceRelease(Key key, Bytes holder) {
		// Do this first, so that a local holder is invalid before the lock can be granted
		// again.
		List<Lease> local = heldLocks().stream()
			.map(HeldLock::lease)
			.filter((lease) -> lease.lock().key().equals(key) && lease.lock().holder().equals(holder))
			.toList();
		local.forEach((lease) -> lease.lose(Reason.FORCED));
		// After a local loss, the tenure's cleanup may delete the key before this request
		// does.
		boolean released = this.lockTemplate.deleteIfEquals(key, holder).deleted() || !local.isEmpty();
		if (released) {
			logger.warn("Lock {} was forced free. Its holder was {}", key, HeldLock.describe(holder));
		}
		return released;
	}

	Optional<String> holder(Key key) {
		return this.lockTemplate.get(key, Bytes.class).map((entry) -> HeldLock.describe(entry.value()));
	}

	boolean isAccepting() {
		return this.state == State.RUNNING;
	}

	/**
	 * Requires that locks can be acquired.
	 * @throws IllegalStateException if the registry is stopped
	 */
	void requireRunning(Key key) {
		if (!isAccepting()) {
			throw stopped(key);
		}
	}

	private static IllegalStateException stopped(Key key) {
		return new IllegalStateException("Lock '" + key
				+ "' cannot be acquired: its StateStoreLockRegistry is stopped. Start it before locks are acquired");
	}

	/** Creates an acquisition attempt with a unique holder value. */
	Acquisition acquisition(Key key, LockTerms terms, WaitLimit limit, boolean leader) {
		Bytes holder = Bytes.of(this.options.holderName() + (leader ? LockNames.LEADER : "") + '/' + this.process + '/'
				+ this.count.incrementAndGet());
		return new Acquisition(requested(key, terms, holder, this.monitors),
				() -> requested(RequestedLock.successor(key), terms.ofSuccessor(), holder, UNMONITORED), limit);
	}

	private RequestedLock requested(Key key, LockTerms terms, Bytes holder, LockMonitors monitors) {
		return new RequestedLock(key, new WatchedLockStore(key, this.lockTemplate), this.time, monitors, terms, holder);
	}

	/**
	 * Waits for a lock.
	 * @param interruptible whether an interrupt ends the wait
	 * @return the tenure, {@code null} if another holder kept the lock
	 */
	@Nullable HeldLock acquire(Key key, LockTerms terms, WaitLimit limit, boolean leader, boolean interruptible)
			throws InterruptedException {
		Acquisition acquisition = acquisition(key, terms, limit, leader);
		CompletableFuture<@Nullable HeldLock> held = track(acquisition);
		acquisition.start();
		try {
			return this.time.await(held, interruptible);
		}
		catch (InterruptedException ex) {
			acquisition.cancel();
			throw ex;
		}
	}

	/**
	 * Tracks an acquisition and its tenure until they end. Aborts the acquisition if the
	 * registry is stopped.
	 * @return a future of the tenure, or of {@code null} if the lock is not acquired
	 */
	CompletableFuture<@Nullable HeldLock> track(Acquisition acquisition) {
		this.acquisitions.add(acquisition);
		CompletableFuture<@Nullable HeldLock> held = acquisition.result()
			.thenApply((lease) -> (lease != null) ? track(lease) : null);
		acquisition.ended().thenRun(() -> this.acquisitions.remove(acquisition));
		if (!isAccepting()) {
			acquisition.abort(stopped(acquisition.key()));
		}
		return held;
	}

	private HeldLock track(Lease lease) {
		HeldLock held = new HeldLock(lease, this.template, this.currentLocks, this.callbacks);
		this.tenures.add(held);
		lease.ended().thenRun(() -> this.tenures.remove(held));
		if (this.state == State.STOPPED) {
			lease.lose(Reason.STOPPED);
		}
		return held;
	}

	/**
	 * Runs an attempt to acquire a lock, and reports its outcome and duration to the
	 * monitors.
	 */
	@Nullable HeldLock measured(Attempt attempt) throws InterruptedException {
		long start = this.time.nanoTime();
		Outcome[] outcome = { Outcome.FAILED };
		try {
			HeldLock held = attempt.run();
			outcome[0] = (held != null) ? Outcome.ACQUIRED : Outcome.NOT_ACQUIRED;
			return held;
		}
		finally {
			Duration wait = Duration.ofNanos(this.time.nanoTime() - start);
			this.monitors.measured((monitor) -> monitor.waited(outcome[0], wait));
		}
	}

	LockOptions options() {
		return this.options;
	}

	LockTime time() {
		return this.time;
	}

	CurrentLocks currentLocks() {
		return this.currentLocks;
	}

	/**
	 * Releases a lease.
	 * @return a future of whether the lock was held until its release. Completes
	 * immediately if the registry is stopping without a connection
	 */
	CompletableFuture<Boolean> release(Lease lease) {
		CompletableFuture<Boolean> released = lease.release();
		stopFutileWaits();
		return released;
	}

	private void stopFutileWaits() {
		if (!isAccepting() && !this.template.isConnected()) {
			this.tenures.forEach((held) -> held.lease().stopWaiting());
		}
	}

	private void endWaits() {
		this.state = State.STOPPING;
		this.acquisitions.forEach((acquisition) -> acquisition.abort(stopped(acquisition.key())));
		synchronized (this.locks) {
			this.locks.values().stream().map(WeakReference::get).filter(Objects::nonNull).forEach(KeyLock::wakeWaiters);
		}
		stopFutileWaits();
	}

	/** Sets whether a lock must not be garbage collected. */
	void keep(KeyLock lock, boolean keep) {
		if (keep) {
			this.kept.add(lock);
		}
		else {
			this.kept.remove(lock);
		}
	}

	/** Returns the number of keys whose locks have not been garbage collected. */
	int size() {
		synchronized (this.locks) {
			return this.locks.size();
		}
	}

	/**
	 * Does nothing, because unused locks are garbage collected.
	 * @param age the age, which is ignored
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Renews a lock now. A held lock is also renewed in the background, so this method is
	 * only needed to confirm that the lock is held.
	 * @param lockKey the lock's key or name, as for {@link #obtain(Object)}
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 * @throws LockLostException if the lock is lost
	 * @throws StateStoreException if the renewal's outcome is unknown; the lock may still
	 * be valid
	 */
	@Override
	public void renewLock(Object lockKey) {
		renew(lockKey, null);
	}

	/**
	 * Renews a lock now, and changes its lease.
	 * @param lockKey the lock's key or name, as for {@link #obtain(Object)}
	 * @param ttl the lease, 100 ms to a day
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 * @throws LockLostException if the lock is lost
	 * @throws StateStoreException if the renewal's outcome is unknown; the lock may still
	 * be valid
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
		Lease held = lock.heldLock().lease();
		if (!this.time.awaitUninterruptibly(held.renew(lease))) {
			throw new LockLostException(held.status().lossOrEnd());
		}
	}

	/**
	 * Waits for a lock, runs a task, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the task throws
	 * @param lockKey the lock's key or name, as for {@link #obtain(Object)}
	 * @param task runs while the lock is held
	 * @return the task's result
	 * @throws E if the task throws; if the lock was also lost, the
	 * {@link LockLostException} is suppressed in it
	 * @throws InterruptedException if interrupted while waiting
	 * @throws LockLostException if the lock was lost before the task ended
	 */
	@Override
	public <T, E extends Throwable> T executeLocked(Object lockKey, CheckedCallable<T, E> task)
			throws E, InterruptedException {
		FencedLock lock = obtain(lockKey);
		lock.lockInterruptibly();
		return lock.runAndUnlock(task);
	}

	/**
	 * Waits for a lock up to a limit, runs a task, and releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the task throws
	 * @param lockKey the lock's key or name, as for {@link #obtain(Object)}
	 * @param waitTime maximum time to wait; zero or less for a single request
	 * @param task runs while the lock is held
	 * @return the task's result
	 * @throws E if the task throws; if the lock was also lost, the
	 * {@link LockLostException} is suppressed in it
	 * @throws InterruptedException if interrupted while waiting
	 * @throws TimeoutException if another holder had the lock during the entire wait
	 * @throws LockLostException if the lock was lost before the task ended
	 */
	@Override
	public <T, E extends Throwable> T executeLocked(Object lockKey, Duration waitTime, CheckedCallable<T, E> task)
			throws E, InterruptedException, TimeoutException {
		FencedLock lock = obtain(lockKey);
		lock.lockWithin(waitTime);
		return lock.runAndUnlock(task);
	}

	/**
	 * Returns the tenure of this thread's innermost section. A section is the code
	 * between {@code lock} and {@code unlock}, a callback of {@link FencedLock#execute},
	 * a task of {@code executeLocked}, a
	 * {@link io.statestore.client.lock.annotation.Locked} method, or a leader's callback.
	 * Threads that a section starts are not part of it; pass them the tenure, so that
	 * they can {@linkplain HeldLock#call run a section}.
	 * @return the tenure, which may have been lost
	 * @throws IllegalStateException if this thread is not running a section of this
	 * registry
	 */
	public HeldLock currentLock() {
		return this.currentLocks.get();
	}

	/** Accepts acquisitions again after a stop. */
	@Override
	public void start() {
		this.state = State.RUNNING;
	}

	/**
	 * Refuses new acquisitions, ends all waits, and waits for held locks to be released.
	 * Returns after {@link LockOptions#stopTimeout()} plus 5 s at the latest; without a
	 * connection, as soon as no thread holds a lock. An interrupt ends the wait.
	 */
	@Override
	public void stop() {
		endWaits();
		try {
			// An acquisition may be ending with a lease right now.
			if (!await(this.options.stopTimeout(), Acquisition::result, Lease::over)) {
				logger.warn(
						"Locks {} are still held after {}. They are lost, and the store keeps them until their "
								+ "holders unlock them or their leases end",
						heldLocks().stream().map(HeldLock::key).toList(), this.options.stopTimeout());
			}
			loseAll();
			Duration timeout = this.template.isConnected() ? CONFIRM_TIMEOUT : Duration.ZERO;
			if (!await(timeout, Acquisition::ended, Lease::ended) && !this.tenures.isEmpty()) {
				logger.warn("The store has not confirmed that all locks are released. They end with their leases");
			}
		}
		catch (InterruptedException ex) {
			loseAll();
			Thread.currentThread().interrupt();
		}
	}

	private void loseAll() {
		this.state = State.STOPPED;
		this.tenures.forEach((held) -> held.lease().lose(Reason.STOPPED));
	}

	/**
	 * Waits for all acquisitions, then for all leases. Returns {@code false} on a
	 * timeout.
	 */
	private boolean await(Duration timeout, Function<Acquisition, CompletableFuture<?>> acquisitions,
			Function<Lease, CompletableFuture<?>> leases) throws InterruptedException {
		try {
			all(this.acquisitions, acquisitions).handle((nothing, failure) -> null)
				.thenCompose((nothing) -> all(this.tenures, (held) -> leases.apply(held.lease())))
				.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException | ExecutionException ex) {
			return false;
		}
	}

	private static <T> CompletableFuture<Void> all(Collection<T> things, Function<T, CompletableFuture<?>> ended) {
		return CompletableFuture.allOf(things.stream().map(ended).toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public void setApplicationContext(ApplicationContext applicationContext) {
		this.applicationContext = applicationContext;
	}

	/**
	 * Ends all waits immediately if the application context closes without a connection.
	 * Otherwise, they would end only with {@link #stop()}, and until then, Spring's
	 * schedulers would wait for their tasks.
	 */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.applicationContext && !this.template.isConnected()) {
			endWaits();
		}
	}

	/**
	 * Returns whether this registry is not stopped. It is still running while it stops.
	 * @return {@code false} once locks are no longer renewed
	 */
	@Override
	public boolean isRunning() {
		// Spring calls stop() only if this is true, so it must be true even after all
		// waits were ended.
		return this.state != State.STOPPED;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** Attempt to acquire a lock, which may block. */
	@FunctionalInterface
	interface Attempt {

		@Nullable HeldLock run() throws InterruptedException;

	}

}
