package io.statestore.client.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.WriteGuard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.util.CheckedCallable;

/**
 * Tenures that each thread holds, or whose sections it runs. Checks the writes without a
 * fencing token on these threads.
 */
final class CurrentTenure {

	private static final Logger logger = LoggerFactory.getLogger(CurrentTenure.class);

	/** Interval between two warnings of the same lock. */
	private static final long WARNING_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	/** Maximum number of locks with a warning in that interval. */
	private static final int WARNED_LOCKS = 16;

	private final StateStoreTemplate template;

	private final UnfencedWrites unfencedWrites;

	private final LockTime time;

	/** Times from which on unfenced writes are logged as warnings again, by lock. */
	private final Map<Key, Long> nextWarnings = new ConcurrentHashMap<>();

	CurrentTenure(StateStoreTemplate template, UnfencedWrites unfencedWrites, LockTime time) {
		this.template = template;
		this.unfencedWrites = unfencedWrites;
		this.time = time;
	}

	/** Begins a section of a tenure on this thread, which must end it. */
	Section enter(Tenure tenure) {
		return new Section(this, tenure);
	}

	/** Runs a section of a tenure. */
	<T, E extends Throwable> T call(Tenure tenure, CheckedCallable<T, E> task) throws E {
		Section section = enter(tenure);
		try {
			return task.call();
		}
		finally {
			section.end();
		}
	}

	/**
	 * Returns the tenure of the innermost section of this thread.
	 * @throws IllegalStateException if this thread runs no section
	 */
	Tenure get() {
		Tenure tenure = Section.find(this, (each) -> true);
		if (tenure == null) {
			throw new IllegalStateException("This thread holds no lock of this registry. "
					+ "Call currentTenure() between lock() and unlock(), within execute, or in a @Locked method, on the "
					+ "thread that holds the lock");
		}
		return tenure;
	}

	/**
	 * Requires that this thread runs no section that holds the lock of a key, because the
	 * section would wait for itself.
	 * @throws IllegalStateException if this thread runs such a section
	 */
	void requireNone(Key key) {
		if (Section.find(this, (tenure) -> tenure.key().equals(key) && tenure.isValid()) != null) {
			throw new IllegalStateException("Lock '" + key
					+ "' is already held by a section that this thread runs, which cannot wait for itself. Use the "
					+ "tenure of that section, or acquire the lock after its end");
		}
	}

	/** Checks a write, and returns a timeout within the rest of the lease. */
	private Duration check(Tenure tenure, Key key, Duration timeout) {
		if (this.unfencedWrites == UnfencedWrites.ALLOW) {
			return timeout;
		}
		Duration remaining = tenure.remaining();
		if (remaining.isZero()) {
			throw new LockLostException(tenure.lease().status().lossOrEnd(), key);
		}
		if (this.unfencedWrites == UnfencedWrites.REFUSE) {
			throw new IllegalStateException(problem(tenure, key) + ". Nothing was sent");
		}
		if (mayWarn(tenure.key())) {
			logger.warn("{}. Later writes under this lock are logged as warnings once a minute, and at DEBUG otherwise",
					problem(tenure, key));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("{}", problem(tenure, key));
		}
		return LockTerms.min(timeout, LockTerms.atLeastOneMilli(remaining));
	}

	private static String problem(Tenure tenure, Key key) {
		return "The write of key " + key.quoted() + " carries no fencing token, although its thread holds lock '"
				+ tenure.key() + "'. The store could not refuse it after a loss of the lock. Write through the lock, "
				+ "for example with lock.operations(). If the lock does not protect this key, use "
				+ "template.withoutLockCheck()";
	}

	private boolean mayWarn(Key lock) {
		long now = this.time.nanoTime();
		this.nextWarnings.values().removeIf((next) -> now - next >= 0);
		return this.nextWarnings.size() < WARNED_LOCKS
				&& this.nextWarnings.putIfAbsent(lock, now + WARNING_INTERVAL) == null;
	}

	/** A section of a tenure on one thread. */
	static final class Section extends WriteGuard {

		private final CurrentTenure owner;

		private final Tenure tenure;

		private Section(CurrentTenure owner, Tenure tenure) {
			super(owner.template);
			this.owner = owner;
			this.tenure = tenure;
			enter();
		}

		/** Ends this section, on the thread that began it. */
		void end() {
			leave();
		}

		/** Returns the tenure of the innermost section that meets a condition. */
		static @Nullable Tenure find(CurrentTenure owner, Predicate<Tenure> condition) {
			for (WriteGuard guard = innermost(); guard != null; guard = guard.outer()) {
				if (guard instanceof Section section && section.owner == owner && condition.test(section.tenure)) {
					return section.tenure;
				}
			}
			return null;
		}

		@Override
		protected Duration check(Key key, Duration timeout) {
			return this.owner.check(this.tenure, key, timeout);
		}

	}

}
