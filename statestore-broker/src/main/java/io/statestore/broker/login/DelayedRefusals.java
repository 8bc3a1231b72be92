package io.statestore.broker.login;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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

	/** Waiting refusals, oldest first. */
	private final Set<PendingLogin> waiting = new LinkedHashSet<>();

	/**
	 * Refuses a login because of wrong credentials after a delay.
	 * @param login the login
	 * @param delay the delay, not negative
	 */
	void add(PendingLogin login, Duration delay) {
		PendingLogin oldest;
		synchronized (this.waiting) {
			oldest = oldestIfFull(login.key());
			this.waiting.remove(oldest);
			this.waiting.add(login);
			login.schedule(delay, () -> expired(login));
		}
		if (oldest != null) {
			oldest.cancel();
			oldest.answer(LoginResult.Refused.BAD_CREDENTIALS);
		}
	}

	private @Nullable PendingLogin oldestIfFull(LoginKey key) {
		List<PendingLogin> ofKey = this.waiting.stream().filter((login) -> login.key().equals(key)).toList();
		if (ofKey.size() == MAX_OF_KEY) {
			return ofKey.get(0);
		}
		return (this.waiting.size() == MAX_WAITING) ? this.waiting.iterator().next() : null;
	}

	private void expired(PendingLogin login) {
		boolean waited;
		synchronized (this.waiting) {
			waited = this.waiting.remove(login);
		}
		if (waited) {
			login.done(LoginResult.Refused.BAD_CREDENTIALS);
		}
	}

}
