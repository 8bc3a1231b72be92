package io.statestore.boot;

import io.statestore.client.StateStoreOperations;
import io.statestore.test.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Scheduled tasks during an outage, as in {@code docs/spring-boot.md}. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the log")
class ScheduledTaskDocumentationTests {

	@Test
	void logsFailureOnOneLine(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(StateStoreAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
			.withUserConfiguration(SchedulerConfiguration.class, Task.class)
			.withPropertyValues("statestore.port=" + FreePorts.next(), "statestore.start-timeout=0s",
					"statestore.disconnected-behavior=fail")
			.run((context) -> await("two runs")
				.until(() -> output.toString().split("A scheduled task failed: GET").length > 2));
		assertThat(output).doesNotContain("\tat ");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Task {

		private final StateStoreOperations store;

		Task(StateStoreOperations store) {
			this.store = store;
		}

		@Scheduled(fixedDelay = 10)
		void run() {
			this.store.get("key", String.class);
		}

	}

}
