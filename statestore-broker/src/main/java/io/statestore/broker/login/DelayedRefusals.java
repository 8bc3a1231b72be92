package io.statestore.broker.login;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Refusals that are sent after a delay. If too many wait, the oldest one is sent at once.
 * Thread-safe.
 */
final class DelayedRefusals {

	/** Maximum number of refusals that wait. */
	static final int MAX_WAITING = 1_024;

	/** Waiting refusals and their timers, oldest first. */
	private final Map<Refusal, Future<?>> waiting = new LinkedHashMap<>();

	/**
	 * Sends a refusal after a delay.
	 * @param loop runs it
	 * @param delay the delay, not negative
	 * @param send sends the refusal
	 */
	void add(ScheduledExecutorService loop, Duration delay, Runnable send) {
		Refusal refusal = new Refusal(loop, send);
		Refusal oldest;
		try {
			synchronized (this.waiting) {
				oldest = removeOldestIfFull();
				this.waiting.put(refusal, loop.schedule(() -> expired(refusal), delay.toNanos(), TimeUnit.NANOSECONDS));
			}
			if (oldest != null) {
				oldest.loop().execute(oldest.send());
			}
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping, which ends the connection.
		}
	}

	private @Nullable Refusal removeOldestIfFull() {
		if (this.waiting.size() < MAX_WAITING) {
			return null;
		}
		Iterator<Map.Entry<Refusal, Future<?>>> refusals = this.waiting.entrySet().iterator();
		Map.Entry<Refusal, Future<?>> oldest = refusals.next();
		refusals.remove();
		oldest.getValue().cancel(false);
		return oldest.getKey();
	}

	private void expired(Refusal refusal) {
		boolean waited;
		synchronized (this.waiting) {
			waited = this.waiting.remove(refusal) != null;
		}
		if (waited) {
			refusal.send().run();
		}
	}

	int size() {
		synchronized (this.waiting) {
			return this.waiting.size();
		}
	}

	/** Has the identity of an object: its components have no {@code equals}. */
	private record Refusal(ScheduledExecutorService loop, Runnable send) {
	}

}
