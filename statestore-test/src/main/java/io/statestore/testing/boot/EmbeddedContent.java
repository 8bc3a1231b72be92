package io.statestore.testing.boot;

import java.time.Duration;

import io.statestore.testing.TestTime;
import io.statestore.testing.broker.TestBroker;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Content of an application context's store, reset before each test. Thread-safe. */
final class EmbeddedContent implements ApplicationListener<ContextClosedEvent> {

	/** How much time passes before the context closes. Longer than a request timeout. */
	private static final Duration REST = Duration.ofMinutes(1);

	private final TestBroker broker;

	/** Controlled time; {@code null} for the system clock. */
	private final @Nullable TestTime time;

	/** Number of tests currently running in the context. */
	private int running;

	private boolean kept;

	EmbeddedContent(TestBroker broker, @Nullable TestTime time) {
		this.broker = broker;
		this.time = time;
	}

	/**
	 * Called when a test finds the context started. The first call makes the current
	 * content the initial content for all tests.
	 */
	synchronized void contextStarted() {
		if (!this.kept) {
			this.broker.keepContent();
			this.kept = true;
		}
	}

	/**
	 * Begins a test. Its context may have been rebuilt since the test instance was
	 * prepared.
	 * @param reset whether to reset the content
	 * @throws IllegalStateException if another test is running, whose content would be
	 * lost
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

	/**
	 * Lets controlled time pass before the context closes. Otherwise, the client would
	 * wait for calls whose requests or replies the test has dropped.
	 */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (this.time != null) {
			this.broker.faults().clear();
			this.time.advance(REST);
		}
	}

}
