package io.statestore.testing.boot;

import java.time.Duration;

import io.statestore.testing.TestTime;
import io.statestore.testing.broker.TestBroker;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Content of the store of a context, reset before each test. Thread-safe. */
final class EmbeddedContent implements ApplicationListener<ContextClosedEvent> {

	/** Longer than the timeout of a request. */
	private static final Duration REST = Duration.ofMinutes(1);

	private final TestBroker broker;

	/** Controlled time, {@code null} for the time of the system. */
	private final @Nullable TestTime time;

	/** Number of tests of the context that run. */
	private int running;

	private boolean kept;

	EmbeddedContent(TestBroker broker, @Nullable TestTime time) {
		this.broker = broker;
		this.time = time;
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

	/**
	 * Lets controlled time pass before the context closes. Otherwise, the client would
	 * wait for the end of calls whose requests or replies the test has dropped.
	 */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (this.time != null) {
			this.broker.faults().clear();
			this.time.advance(REST);
		}
	}

}
