package io.statestore.client.mqtt;

import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.fail;

/** Waits for a condition instead of for a time. */
public final class Await {

	private static final long TIMEOUT_NANOS = 30_000_000_000L;

	private Await() {
	}

	public static void until(String what, BooleanSupplier condition) {
		long deadline = System.nanoTime() + TIMEOUT_NANOS;
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() > deadline) {
				fail("Still waiting for: " + what);
			}
			try {
				Thread.sleep(2);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				fail("Interrupted while waiting for: " + what);
			}
		}
	}

}
