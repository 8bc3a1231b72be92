package io.statestore.sample;

import java.util.concurrent.TimeUnit;

import io.statestore.client.StateStoreException;
import io.statestore.client.leader.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Logs the number of machines every ten seconds, on the leader only. */
@Component
class FleetReporter {

	private static final Logger logger = LoggerFactory.getLogger(FleetReporter.class);

	private final MachineStore store;

	FleetReporter(MachineStore store) {
		this.store = store;
	}

	@LeaderOnly
	@Scheduled(fixedRate = 10, initialDelay = 2, timeUnit = TimeUnit.SECONDS)
	void report() {
		try {
			logger.info("This machine is the leader. Machines in the store: {}", this.store.readings().size());
		}
		catch (StateStoreException ex) {
			logger.warn("Could not count the machines; retrying in 10 s: {}", ex.getMessage());
		}
	}

}
