package io.statestore.client.lock;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared state of the locks of a registry: options, clock, lifecycle, and the store.
 * Creates their acquisitions and tenures. Safe for use by several threads.
 */
final class LockContext {

	private static final Logger logger = LoggerFactory.getLogger(LockContext.class);

	/** Monitor of successor locks, which are internal to this library. */
	private static final LockMonitor UNMONITORED = new LockMonitors();

	private final LockLifecycle lifecycle;

	/**
	 * Locks that must not be garbage collected, by the object that keeps them in use.
	 * These objects do not override {@link Object#equals}.
	 */
	private final Map<Object, Object> pinned = new ConcurrentHashMap<>();

	private final LockMonitors monitors = new LockMonitors();

	/** Distinguishes this process from an earlier one with the same process id. */
	private final UUID process = UUID.randomUUID();

	/** Number of acquisitions. */
	private final AtomicLong attempts = new AtomicLong();

	private final CurrentTenure currentTenure;

	/** Template of the tenures, with the key prefix of the application. */
	private final StateStoreTemplate template;

	/** Template of the locks, whose keys already have all prefixes. */
	private final StateStoreTemplate locks;

	private final LockOptions options;

	private final LockTime time;

	private final Executor callbacks;

	private final Executor replies;

	/**
	 * Creates a running context.
	 * @param callbacks runs loss listeners, which may block
	 * @param replies completes asynchronous sections, and thereby runs their
	 * continuations, which may block
	 */
	LockContext(StateStoreTemplate template, LockOptions options, LockTime time, Executor callbacks, Executor replies) {
		this.template = template;
		this.locks = template.withKeyPrefix("").withoutLockCheck();
		this.options = options;
		this.time = time;
		this.currentTenure = new CurrentTenure(template, options.unfencedWrites(), time);
		this.callbacks = callbacks;
		this.replies = replies;
		this.lifecycle = new LockLifecycle(options.stopTimeout(), template::isConnected);
	}

	/** Returns the key of a lock with a name. */
	Key key(String name) {
		return Key.of(this.template.keyPrefix() + this.options.keyPrefix() + name);
	}

	LockOptions options() {
		return this.options;
	}

	LockTime time() {
		return this.time;
	}

	CurrentTenure currentTenure() {
		return this.currentTenure;
	}

	/** Returns the executor that completes asynchronous sections. */
	Executor replies() {
		return this.replies;
	}

	LockLifecycle lifecycle() {
		return this.lifecycle;
	}

	LockMonitors monitors() {
		return this.monitors;
	}

	/** Starts to measure an attempt to acquire a lock. */
	LockWait startWait() {
		return new LockWait(this.monitors, this.time);
	}

	/** Creates an attempt with a unique holder. */
	Acquisition acquisition(Key key, LockTerms terms, WaitLimit limit) {
		return acquisition(key, terms, limit, false);
	}

	/**
	 * Creates an attempt with a unique holder.
	 * @param leader whether the holder leads
	 */
	Acquisition acquisition(Key key, LockTerms terms, WaitLimit limit, boolean leader) {
		String name = this.options.holderName() + (leader ? LockNames.LEADER : "");
		Bytes holder = LockHolder.of(name, this.process, this.attempts.incrementAndGet());
		Acquisition acquisition = new Acquisition(lock(key, terms, holder, this.monitors),
				() -> lock(SuccessorKey.of(key), terms.ofSuccessor(), holder, UNMONITORED), limit);
		this.lifecycle.add(acquisition);
		return acquisition;
	}

	private RequestedLock lock(Key key, LockTerms terms, Bytes holder, LockMonitor monitor) {
		return new RequestedLock(key, new WatchedLockStore(key, this.locks), this.time, monitor, terms, holder);
	}

	/** Creates the tenure of a lease. */
	Tenure tenure(Key key, Lease lease) {
		return new Tenure(key, SuccessorKey.of(key), lease, this.template, this.currentTenure, this.callbacks);
	}

	/**
	 * Keeps a lock from being garbage collected.
	 * @param reason object that keeps the lock in use, compared by identity
	 */
	void pin(Object reason, Object lock) {
		this.pinned.put(reason, lock);
	}

	/** Withdraws a reason to keep a lock. */
	void unpin(Object reason) {
		this.pinned.remove(reason);
	}

	/** Logs a loss, whether or not there are listeners. */
	void logLoss(LockLoss loss) {
		logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
	}

	/** Reads the holder of a lock from the store, as {@link FencedLock#holder()}. */
	Optional<String> holder(Key key) {
		return this.locks.get(key, Bytes.class).map((entry) -> LockHolder.describe(entry.value()));
	}

	/**
	 * Frees a lock for another holder, as {@link StateStoreLockRegistry#forceRelease}.
	 */
	Optional<String> forceRelease(Key key) {
		return this.locks.get(key, Bytes.class)
			.map(Entry::value)
			.filter(LockHolder::matches)
			.filter((holder) -> forceRelease(key, holder))
			.map(LockHolder::describe);
	}

	private boolean forceRelease(Key key, Bytes holder) {
		// First, so that a local holder is invalid before the lock can be granted.
		boolean lost = this.lifecycle.lose(key, holder, Reason.FORCED);
		// After a local loss, its cleanup may delete the key before this request does.
		boolean deleted = this.locks.deleteIfEquals(key, holder).deleted();
		if (lost || deleted) {
			logger.warn("Lock {} was forced free. Its holder was {}", key, LockHolder.describe(holder));
		}
		return lost || deleted;
	}

}
