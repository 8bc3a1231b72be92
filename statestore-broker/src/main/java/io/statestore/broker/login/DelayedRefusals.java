package io.statestore.broker.login;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Refusals that are sent after a delay. If too many are waiting in total or with the same
 * key, the oldest of them is sent immediately. Thread-safe.
 */
final class DelayedRefusals {

	/** Maximum number of waiting refusals. */
	static final int MAX_WAITING = 1_024;

	/** Maximum number of waiting refusals with the same key. */
	static final int MAX_OF_KEY = 64;

	/** Waiting refusals, from oldest to newest. */
	private final Set<PendingLogin> waiting = new LinkedHashSet<>();

	/**
	 * After a delay, refuses a login because of wrong credentials.
	 * @param login the login to refuse
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
