package io.statestore.testing.boot;

import java.util.HashSet;
import java.util.Set;

import io.statestore.testing.broker.TestBroker;

/** Content of the store of a context, reset before each test. Thread-safe. */
final class EmbeddedContent {

	private final TestBroker broker;

	/** Running tests, identified by their methods and instances. */
	private final Set<Object> running = new HashSet<>();

	private boolean kept;

	EmbeddedContent(TestBroker broker) {
		this.broker = broker;
	}

	/** Keeps the content for all tests when the first one finds the context started. */
	synchronized void contextStarted() {
		if (!this.kept) {
			this.broker.keepContent();
			this.kept = true;
		}
	}

	/**
	 * Resets the content.
	 * @param test identifies the test
	 * @throws IllegalStateException if another test runs, whose content would be lost
	 */
	synchronized void reset(Object test) {
		if (!this.running.isEmpty()) {
			throw new IllegalStateException(
					"Another test of the same context is running, and the reset before this test "
							+ "would affect it. Run the tests one after the other, or set @EmbeddedStateStore(reset = false) and "
							+ "let each test use its own keys");
		}
		this.running.add(test);
		this.broker.reset();
	}

	synchronized void ended(Object test) {
		this.running.remove(test);
	}

}
