package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Delays between attempts to connect: exponential backoff with equal jitter (Brooker,
 * "Exponential Backoff And Jitter", 2015). The delay doubles with every failure, up to a
 * maximum. A random part of up to half of it is subtracted, so that the clients of a
 * recovered broker do not all return at the same time. Not thread-safe.
 */
final class Backoff {

	/** First delay after another client took the session over. */
	static final Duration TAKEN_OVER_INITIAL = Duration.ofSeconds(5);

	/** Maximum delay after another client took the session over. */
	static final Duration TAKEN_OVER_MAX = Duration.ofMinutes(1);

	private final Duration initial;

	private final Duration max;

	private final DoubleSupplier random;

	/** Next delay, before its random part is subtracted. */
	private Duration next;

	/** Next delay after a takeover. */
	private Duration nextTakenOver = TAKEN_OVER_INITIAL;

	/**
	 * @param initial first delay
	 * @param max maximum delay
	 * @param random returns 0 to 1
	 */
	Backoff(Duration initial, Duration max, DoubleSupplier random) {
		this.initial = initial;
		this.max = max;
		this.random = random;
		this.next = initial;
	}

	/** Returns the delay after a failure or the loss of a connection. */
	Duration nextDelay() {
		Duration nominal = this.next;
		this.next = doubled(nominal, this.max);
		return randomized(nominal);
	}

	/**
	 * Returns the delay after another client with the same id took the session over. It
	 * is long because the two clients end each other's connections.
	 */
	Duration nextDelayAfterTakeover() {
		Duration nominal = this.nextTakenOver;
		this.nextTakenOver = doubled(nominal, TAKEN_OVER_MAX);
		return randomized(nominal);
	}

	/**
	 * Returns to short delays if a connection lasted long enough.
	 * @param lifetime duration of the connection
	 * @return whether it lasted long enough
	 */
	boolean connectedFor(Duration lifetime) {
		boolean stable = lifetime.compareTo(this.max) >= 0 || lifetime.compareTo(this.next.multipliedBy(2)) >= 0;
		if (stable) {
			this.next = this.initial;
		}
		if (lifetime.compareTo(TAKEN_OVER_MAX.multipliedBy(2)) >= 0) {
			this.nextTakenOver = TAKEN_OVER_INITIAL;
		}
		return stable;
	}

	private static Duration doubled(Duration delay, Duration max) {
		Duration doubled = delay.multipliedBy(2);
		return (doubled.compareTo(max) > 0) ? max : doubled;
	}

	private Duration randomized(Duration nominal) {
		return nominal.minusNanos((long) (nominal.toNanos() * this.random.getAsDouble() / 2));
	}

}
