package io.statestore.client.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.internal.WriteGuard;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.integration.util.CheckedCallable;

/**
 * Tracks the tenures that each thread holds, or whose sections it runs. Checks writes
 * without a fencing token on these threads.
 */
final class CurrentLocks {

	private static final Logger logger = LoggerFactory.getLogger(CurrentLocks.class);

	/** Minimum interval between warnings about the same lock. */
	private static final long WARNING_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	/** Maximum number of locks to warn about within that interval. */
	private static final int WARNED_LOCKS = 16;

	private final StateStoreTemplate template;

	private final UnfencedWrites unfencedWrites;

	private final LockTime time;

	/** When unfenced writes may be logged as warnings again, by lock. */
	private final Map<Key, Long> nextWarnings = new ConcurrentHashMap<>();

	CurrentLocks(StateStoreTemplate template, UnfencedWrites unfencedWrites, LockTime time) {
		this.template = template;
		this.unfencedWrites = unfencedWrites;
		this.time = time;
	}

	/**
	 * Begins a section of a tenure on this thread, which must also end the section.
	 * @param kept object that is not garbage collected until the section or its thread
	 * has ended
	 */
	Section enter(HeldLock held, Object kept) {
		return new Section(this, held, kept);
	}

	<T, E extends Throwable> T call(HeldLock held, CheckedCallable<T, E> task) throws E {
		Section section = enter(held, held);
		try {
			return task.call();
		}
		finally {
			section.end();
		}
	}

	/**
	 * Returns the tenure of this thread's innermost section.
	 * @throws IllegalStateException if this thread is not running a section
	 */
	HeldLock get() {
		HeldLock held = Section.find(this, (each) -> true);
		if (held == null) {
			throw new IllegalStateException("This thread holds no lock of this registry. "
					+ "Call currentLock() between lock() and unlock(), within execute, or in a @Locked method, on the "
					+ "thread that holds the lock");
		}
		return held;
	}

	/**
	 * Requires that no section on this thread holds the lock with the given key, because
	 * the section would wait for itself.
	 * @throws IllegalStateException if a section on this thread holds the lock
	 */
	void requireNone(Key key) {
		if (Section.find(this, (held) -> held.key().equals(key) && held.isValid()) != null) {
			throw new IllegalStateException("Lock '" + key
					+ "' is already held by a section that this thread runs, which cannot wait for itself. Use the "
					+ "tenure of that section, or acquire the lock after its end");
		}
	}

	/** Checks a write, and returns a timeout within the remaining lease. */
	private Duration check(HeldLock held, Key key, Duration timeout) {
		if (this.unfencedWrites == UnfencedWrites.ALLOW) {
			return timeout;
		}
		Duration remaining = held.remaining();
		if (remaining.isZero()) {
			throw new LockLostException(held.lease().status().lossOrEnd(), key);
		}
		if (this.unfencedWrites == UnfencedWrites.REFUSE) {
			throw new IllegalStateException(problem(held, key) + ". Nothing was sent");
		}
		if (mayWarn(held.key())) {
			logger.warn("{}. Later writes under this lock are logged as warnings once a minute, and at DEBUG otherwise",
					problem(held, key));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("{}", problem(held, key));
		}
		return LockTerms.min(timeout, LockTerms.atLeastOneMilli(remaining));
	}

	private static String problem(HeldLock held, Key key) {
		return "The write of key " + key.quoted() + " carries no fencing token, although its thread holds lock '"
				+ held.key() + "'. The store could not refuse it after a loss of the lock. Write through the lock, "
				+ "for example with lock.operations(). If the lock does not protect this key, use "
				+ "template.withoutLockCheck()";
	}

	private boolean mayWarn(Key lock) {
		long now = this.time.nanoTime();
		this.nextWarnings.values().removeIf((next) -> now - next >= 0);
		return this.nextWarnings.size() < WARNED_LOCKS
				&& this.nextWarnings.putIfAbsent(lock, now + WARNING_INTERVAL) == null;
	}

	/** Code that a thread runs as part of a tenure. */
	static final class Section extends WriteGuard {

		private final CurrentLocks owner;

		private final HeldLock held;

		private final Object kept;

		private Section(CurrentLocks owner, HeldLock held, Object kept) {
			super(owner.template.connection());
			this.owner = owner;
			this.held = held;
			this.kept = kept;
			enter();
		}

		/** Ends this section, on the thread that began it. */
		void end() {
			leave();
		}

		/**
		 * Returns the innermost section's tenure that meets a condition, {@code null} if
		 * there is none.
		 */
		static @Nullable HeldLock find(CurrentLocks owner, Predicate<HeldLock> condition) {
			for (WriteGuard guard : entered()) {
				if (guard instanceof Section section && section.owner == owner && condition.test(section.held)) {
					return section.held;
				}
			}
			return null;
		}

		@Override
		protected Duration check(Bytes key, Duration timeout) {
			return this.owner.check(this.held, Key.of(key), timeout);
		}

	}

}
