package io.statestore.sample.press;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Simulates a press and stores its reading twice a second. */
@Component
class Press {

	/**
	 * Expiry of readings. The store deletes the reading of a press that has ended:
	 * docs/template.md.
	 */
	private static final Duration EXPIRY = Duration.ofSeconds(5);

	private static final double ROOM_TEMPERATURE = 20;

	private static final Logger logger = LoggerFactory.getLogger(Press.class);

	private final StateStoreTemplate store;

	private final Setpoint setpoint;

	private final StateStoreLeaderInitiator election;

	private final String name;

	private double temperature = ROOM_TEMPERATURE;

	private double packs;

	Press(StateStoreTemplate store, Setpoint setpoint, StateStoreLeaderInitiator election,
			@Value("${sample.name}") String name) {
		this.store = store;
		this.setpoint = setpoint;
		this.election = election;
		this.name = PressNames.requireValid(name, "sample.name");
	}

	@Scheduled(fixedDelay = 500)
	void report() {
		try {
			this.store.set("line/" + this.name, measure(this.setpoint.degrees()), (spec) -> spec.expire(EXPIRY));
		}
		catch (StateStoreException ex) {
			logger.warn("Could not store the reading; retrying: {}", ex.getMessage());
		}
	}

	/** Approaches the setpoint. A press that is too hot or too cold is slow. */
	private Reading measure(double target) {
		this.temperature += (target - this.temperature) * 0.2 + ThreadLocalRandom.current().nextDouble(-0.6, 0.6);
		double speed = Math.max(5, 60 - Math.abs(target - this.temperature));
		this.packs += speed / 120;
		return new Reading(round(this.temperature), round(speed), (long) this.packs, ProcessHandle.current().pid(),
				this.election.isLeader());
	}

	private static double round(double value) {
		return Math.round(value * 10) / 10.0;
	}

}
