package io.statestore.sample;

import java.util.concurrent.TimeUnit;

import io.statestore.client.StateStoreException;
import io.statestore.client.leader.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Once in ten seconds, and on one machine only: print how many there are. */
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
			logger.info("This machine leads, machines that report: {}", this.store.readings().size());
		}
		catch (StateStoreException ex) {
			logger.warn("Not counted this time: {}", ex.getMessage());
		}
	}

}
