package io.statestore.client;

import java.time.Duration;
import java.time.Instant;

import io.statestore.client.lock.StateStoreLockProvider;
import io.statestore.client.lock.StateStoreLockRegistry;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Runs the snippets on ShedLock in {@code docs/locks.md}. */
class ShedLockDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(ShedLockDocumentationTests.class);

	@Test
	void everySnippetRuns() throws Exception {
		StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());
		LockProvider lockProvider = new StateStoreLockProvider(new StateStoreLockRegistry(template)).withKeepAlive();
		new DefaultLockingTaskExecutor(lockProvider).executeWithLock((Runnable) new Reports()::report,
				new LockConfiguration(Instant.now(), "hourly-report", Duration.ofMinutes(5), Duration.ZERO));
	}

	@Component
	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	class Reports {

		@Scheduled(cron = "0 0 * * * *")
		@SchedulerLock(name = "hourly-report", lockAtMostFor = "5m", lockAtLeastFor = "1m")
		public void report() {
			LockAssert.assertLocked();
			logger.info("Reporting for the whole factory");
		}

	}

}
