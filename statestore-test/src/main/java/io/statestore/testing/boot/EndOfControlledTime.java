package io.statestore.testing.boot;

import java.time.Duration;

import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Lets time pass before a context closes. Otherwise, the client would wait for the end of
 * calls whose requests or replies the test has dropped.
 *
 * @param time the time of the test
 * @param faults the faults of its broker
 */
record EndOfControlledTime(TestTime time, StateStoreFaults faults) implements ApplicationListener<ContextClosedEvent> {

	/** Longer than the timeout of a request. */
	private static final Duration REST = Duration.ofMinutes(1);

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.faults.clear();
		this.time.advance(REST);
	}

}
