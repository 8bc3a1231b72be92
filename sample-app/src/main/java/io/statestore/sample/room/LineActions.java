package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;

import org.springframework.stereotype.Component;

/**
 * Actions of the buttons that use the store. They throw a {@link StateStoreException} if
 * the store is unavailable, and an {@link IllegalStateException} with a message for the
 * user if there is nothing to do.
 */
@Component
class LineActions {

	/** Minimum setpoint in degrees Celsius. */
	static final double MIN_SETPOINT = 100;

	/** Maximum setpoint in degrees Celsius. */
	static final double MAX_SETPOINT = 200;

	private final Line line;

	private final Brokers brokers;

	private final StateStoreOperations store;

	private final StateStoreLockRegistry locks;

	LineActions(Line line, Brokers brokers, StateStoreOperations store, StateStoreLockRegistry locks) {
		this.line = line;
		this.brokers = brokers;
		this.store = store;
		this.locks = locks;
	}

	/**
	 * Ends the leader's term, like {@code statestore leader resign line-leader}:
	 * docs/cli.md.
	 */
	void resign() {
		String leader = this.line.leadership().leader();
		if (leader == null) {
			throw new IllegalStateException("No press leads the line");
		}
		// Recorded before the release, because the next leader may be known before the
		// reply arrives.
		this.line.trouble(Line.CHANGE, leader, "was told to resign");
		if (this.locks.forceRelease(Line.LEADER).isEmpty()) {
			throw new IllegalStateException("The leader has changed in the meantime");
		}
	}

	/**
	 * Kills one of three brokers and measures the time until the store accepts a write.
	 */
	void killBroker(String name) {
		Instant at = Instant.now();
		this.brokers.get(name).kill();
		ChildProcess.startDaemon("write-probe", () -> probe(name, at));
	}

	/** Measures the outage. Writes wait for a connection, so no polling is needed. */
	private void probe(String name, Instant killed) {
		while (this.brokers.isRunning()) {
			try {
				this.store.set("line/probe", name + " was killed", (spec) -> spec.expire(Duration.ofMinutes(1)));
				this.line.log(Line.CHANGE,
						String.format(Locale.ROOT, "The store accepts writes, %,d ms after %s was killed.",
								Duration.between(killed, Instant.now()).toMillis(), name));
				return;
			}
			catch (StateStoreException ex) {
				LockSupport.parkNanos(20_000_000);
			}
		}
	}

	/**
	 * Changes the setpoint. Throws an {@link IllegalArgumentException} if it is out of
	 * range.
	 */
	void changeSetpoint(double degrees) {
		// This form also refuses NaN.
		if (!(degrees >= MIN_SETPOINT && degrees <= MAX_SETPOINT)) {
			throw new IllegalArgumentException(
					"The setpoint must be " + MIN_SETPOINT + " to " + MAX_SETPOINT + " °C, but is " + degrees);
		}
		this.store.set(Line.SETPOINT, degrees, (spec) -> spec.persistent());
	}

}
