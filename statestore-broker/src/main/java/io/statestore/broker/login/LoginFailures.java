package io.statestore.broker.login;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Counts consecutive failed logins, which determine how long refusals are delayed. Keeps
 * the latest {@value #MAX_KEYS} keys. Thread-safe.
 */
final class LoginFailures {

	static final int MAX_KEYS = 10_000;

	/** Minimum delay for the first refusal. Each later refusal doubles it. */
	static final Duration FIRST_DELAY = Duration.ofMillis(500);

	static final Duration MAX_DELAY = Duration.ofSeconds(8);

	/** How long a failure counts if no other failure follows. */
	static final Duration MEMORY = Duration.ofMinutes(10);

	/**
	 * Minimum ratio of the first delay to the longest verification, so that the timing of
	 * a refusal does not reveal whether the name is known.
	 */
	private static final int DELAY_RATIO = 2;

	private final LongSupplier nanoClock;

	private Duration longestVerification = Duration.ZERO;

	private final Map<LoginKey, Failures> failures = new LinkedHashMap<>(16, 0.75F, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<LoginKey, Failures> eldest) {
			return size() > MAX_KEYS;
		}

	};

	LoginFailures(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	/**
	 * Handles the end of a verification.
	 * @param duration how long it took
	 */
	synchronized void verified(Duration duration) {
		this.longestVerification = max(duration, this.longestVerification);
	}

	private static Duration max(Duration first, Duration second) {
		return (first.compareTo(second) > 0) ? first : second;
	}

	/**
	 * Counts a failure.
	 * @param key key of the login
	 * @return the time from the beginning of its verification to its refusal
	 */
	synchronized Duration failed(LoginKey key) {
		long now = this.nanoClock.getAsLong();
		Failures earlier = this.failures.get(key);
		int count = (earlier != null && now - earlier.latest() < MEMORY.toNanos()) ? earlier.count() + 1 : 1;
		this.failures.put(key, new Failures(count, now));
		Duration first = max(FIRST_DELAY, this.longestVerification.multipliedBy(DELAY_RATIO));
		Duration delay = first.multipliedBy(1L << Math.min(count - 1, 10));
		return (delay.compareTo(MAX_DELAY) < 0) ? delay : MAX_DELAY;
	}

	/** Handles a successful login, after which earlier failures no longer count. */
	synchronized void succeeded(LoginKey key) {
		this.failures.remove(key);
	}

	synchronized int size() {
		return this.failures.size();
	}

	private record Failures(int count, long latest) {
	}

}
