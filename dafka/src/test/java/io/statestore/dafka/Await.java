package io.statestore.dafka;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.fail;

/** Waits for a condition instead of for a time. */
public final class Await {

	private static final long LIMIT_NANOS = Duration.ofSeconds(90).toNanos();

	private Await() {
	}

	public static void until(String what, BooleanSupplier condition) {
		long end = System.nanoTime() + LIMIT_NANOS;
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				fail("Still waiting for: " + what);
			}
			LockSupport.parkNanos(1_000_000);
		}
	}

}
