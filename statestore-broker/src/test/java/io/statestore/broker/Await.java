package io.statestore.broker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.fail;

/** Waits for a condition. The limit suits a machine that runs other builds, too. */
public final class Await {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final long POLL_NANOS = Duration.ofMillis(2).toNanos();

	private Await() {
	}

	/**
	 * Waits until a condition is met.
	 * @param what the condition, for the message
	 * @param condition the condition
	 * @throws AssertionError if it is not met within a minute
	 */
	public static void until(String what, BooleanSupplier condition) {
		long end = System.nanoTime() + LIMIT.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				fail("Still waiting after " + LIMIT.toSeconds() + " s for: " + what);
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

}
