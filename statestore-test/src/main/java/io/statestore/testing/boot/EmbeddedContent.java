package io.statestore.testing.boot;

import io.statestore.testing.broker.TestBroker;

/** Content of the store of a context, reset before each test. Thread-safe. */
final class EmbeddedContent {

	private final TestBroker broker;

	/** Number of tests of the context that run. */
	private int running;

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
	 * Begins a test. Its context may have been rebuilt since its instance was prepared.
	 * @param reset whether to reset the content
	 * @throws IllegalStateException if another test runs, whose content would be lost
	 */
	synchronized void begin(boolean reset) {
		contextStarted();
		if (reset) {
			if (this.running > 0) {
				throw new IllegalStateException(
						"Another test of the same context is running, and the reset before this test "
								+ "would affect it. Run the tests one after the other, or set @EmbeddedStateStore(reset = false) "
								+ "and let each test use its own keys");
			}
			this.broker.reset();
		}
		this.running++;
	}

	/** Ends a test that has begun. */
	synchronized void end() {
		this.running--;
	}

}
