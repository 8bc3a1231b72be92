package io.statestore.client;

import java.util.concurrent.TimeUnit;

import io.statestore.client.leader.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class CleanUp {

	private static final Logger logger = LoggerFactory.getLogger(CleanUp.class);

	@Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
	@LeaderOnly
	void cleanUp() {
		logger.info("Only one instance cleans up");
	}

}
