package com.example.limit;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.statestore.client.StateStoreOperations;

/** Limits calls of all instances together to a number of permits within a window. */
final class RateLimiter {

	private final StateStoreOperations store;

	private final String name;

	private final int permits;

	private final Duration window;

	RateLimiter(StateStoreOperations store, String name, int permits, Duration window) {
		this.store = store;
		this.name = name;
		this.permits = permits;
		this.window = window;
	}

	/** Takes a permit, which returns by itself after the window. */
	boolean tryAcquire() {
		int first = ThreadLocalRandom.current().nextInt(this.permits);
		for (int i = 0; i < this.permits; i++) {
			String permit = "limits/" + this.name + "/" + (first + i) % this.permits;
			if (this.store.set(permit, "taken", (spec) -> spec.ifAbsent().expire(this.window)).applied()) {
				return true;
			}
		}
		return false;
	}

}
