package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next attempt: twice as long after every failure, less up to
 * half of it by chance, so that the clients of a broker that returns do not come all at
 * once.
 */
final class Backoff {

	private final Duration initial;

	private final Duration max;

	private final DoubleSupplier random;

	private Duration next;

	Backoff(Duration initial, Duration max, DoubleSupplier random) {
		this.initial = initial;
		this.max = max;
		this.random = random;
		this.next = initial;
	}

	Duration nextDelay() {
		Duration nominal = this.next;
		Duration doubled = nominal.multipliedBy(2);
		this.next = (doubled.compareTo(this.max) > 0) ? this.max : doubled;
		return nominal.minusNanos((long) (nominal.toNanos() * this.random.getAsDouble() / 2));
	}

	/**
	 * There was a connection. One that broke at once, such as two clients with the same
	 * id chasing each other, does not start over with short delays.
	 */
	void connectedFor(Duration lifetime) {
		if (lifetime.compareTo(this.max) >= 0 || lifetime.compareTo(this.next.multipliedBy(2)) >= 0) {
			this.next = this.initial;
		}
	}

}
