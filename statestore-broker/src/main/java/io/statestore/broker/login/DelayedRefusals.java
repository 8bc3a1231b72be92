package io.statestore.broker.login;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

	/** Waiting refusals by key, oldest first. */
	private final Map<LoginKey, Deque<PendingLogin>> byKey = new HashMap<>();

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
				this.byKey.computeIfAbsent(login.key(), (key) -> new ArrayDeque<>(1)).add(login);
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
		Deque<PendingLogin> ofKey = this.byKey.get(key);
		PendingLogin oldest = null;
		if (ofKey != null && ofKey.size() == MAX_OF_KEY) {
			oldest = ofKey.getFirst();
		}
		else if (this.waiting.size() == MAX_WAITING) {
			oldest = this.waiting.keySet().iterator().next();
		}
		if (oldest != null) {
			Objects.requireNonNull(remove(oldest)).cancel(false);
		}
		return oldest;
	}

	/** Returns the timer of a refusal, or {@code null} if it does not wait. */
	private @Nullable Future<?> remove(PendingLogin login) {
		Future<?> timer = this.waiting.remove(login);
		Deque<PendingLogin> ofKey = this.byKey.get(login.key());
		if (timer != null && ofKey != null) {
			ofKey.remove(login);
			if (ofKey.isEmpty()) {
				this.byKey.remove(login.key());
			}
		}
		return timer;
	}

	private void expired(PendingLogin login) {
		boolean waited;
		synchronized (this.waiting) {
			waited = remove(login) != null;
		}
		if (waited) {
			login.done(LoginResult.Refused.BAD_CREDENTIALS);
		}
	}

}
