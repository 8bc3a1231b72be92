package io.statestore.boot;

import io.statestore.client.TransientStateStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.support.TaskUtils;

/** Scheduler of {@code docs/spring-boot.md}. */
@Configuration(proxyBeanMethods = false)
class SchedulerConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(SchedulerConfiguration.class);

	@Bean
	ThreadPoolTaskSchedulerCustomizer outagesInOneLine() {
		return (scheduler) -> scheduler.setErrorHandler(this::taskFailed);
	}

	private void taskFailed(Throwable failure) {
		if (failure instanceof TransientStateStoreException) {
			logger.warn("A scheduled task failed: {}", failure.getMessage());
		}
		else {
			TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(failure);
		}
	}

}
