package io.statestore.broker.login;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Refusals that are sent after a delay. If too many wait, or too many of one key, the
 * oldest one is sent at once. Thread-safe.
 */
final class DelayedRefusals {

	/** Maximum number of refusals that wait. */
	static final int MAX_WAITING = 1_024;

	/** Maximum number of refusals of one key that wait. */
	static final int MAX_OF_KEY = 64;

	/** Waiting refusals and their timers, oldest first. */
	private final Map<PendingLogin, Future<?>> waiting = new LinkedHashMap<>();

	/**
	 * Refuses a login because of wrong credentials after a delay.
	 * @param login the login
	 * @param delay the delay, not negative
	 */
	void add(PendingLogin login, Duration delay) {
		PendingLogin oldest;
		try {
			synchronized (this.waiting) {
				oldest = removeOldestIfFull(login.key());
				this.waiting.put(login,
						login.loop().schedule(() -> expired(login), delay.toNanos(), TimeUnit.NANOSECONDS));
			}
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping, which ends the connection.
			return;
		}
		if (oldest != null) {
			oldest.answer(LoginResult.Refused.BAD_CREDENTIALS);
		}
	}

	private @Nullable PendingLogin removeOldestIfFull(LoginKey key) {
		List<PendingLogin> ofKey = this.waiting.keySet().stream().filter((login) -> login.key().equals(key)).toList();
		PendingLogin oldest = null;
		if (ofKey.size() == MAX_OF_KEY) {
			oldest = ofKey.get(0);
		}
		else if (this.waiting.size() == MAX_WAITING) {
			oldest = this.waiting.keySet().iterator().next();
		}
		if (oldest != null) {
			Objects.requireNonNull(this.waiting.remove(oldest)).cancel(false);
		}
		return oldest;
	}

	private void expired(PendingLogin login) {
		boolean waited;
		synchronized (this.waiting) {
			waited = this.waiting.remove(login) != null;
		}
		if (waited) {
			login.done(LoginResult.Refused.BAD_CREDENTIALS);
		}
	}

}
