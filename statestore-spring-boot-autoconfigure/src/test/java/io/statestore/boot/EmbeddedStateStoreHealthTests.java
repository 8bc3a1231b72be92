package io.statestore.boot;

import java.util.Map;
import java.util.Objects;

import io.statestore.broker.FailingBroker;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class EmbeddedStateStoreHealthTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s",
				"statestore.request-timeout=2s")
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						EmbeddedStateStoreHealthContributorAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void reportsUpWithUsageAndLimits() {
		this.contextRunner.withPropertyValues("statestore.embedded.max-keys=5", "statestore.embedded.max-size=1KB")
			.run((context) -> {
				context.getBean(StateStoreTemplate.class).set("key", "value");
				Health health = health(context.getBean("embeddedStateStoreHealthIndicator", HealthIndicator.class));
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(health.getDetails()).containsEntry("keys", Map.of("used", 1L, "limit", 5L))
					.containsKeys("size", "replyMemory", "clientMemory")
					.containsEntry("refusals", 0L);
			});
	}

	@Test
	void reportsDownWithErrorOnceBrokerHasFailed() {
		FailingBroker failing = new FailingBroker();
		this.contextRunner.withBean(StateStoreBroker.class, failing::start).run((context) -> {
			HealthIndicator indicator = context.getBean(EmbeddedStateStoreHealthIndicator.class);
			assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
			failing.fail(new OutOfMemoryError("on purpose"));
			assertThatThrownBy(() -> context.getBean(StateStoreTemplate.class).set("key", "value"))
				.isInstanceOf(RuntimeException.class);
			await().until(() -> context.getBean(StateStoreBroker.class).failure().isPresent());
			Health health = health(indicator);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).containsEntry("error", "java.lang.OutOfMemoryError: on purpose")
				.containsKey("clientMemory");
		});
	}

	@Test
	void isAbsentIfDisabled() {
		this.contextRunner.withPropertyValues("management.health.embedded-state-store.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(StateStoreBroker.class)
				.doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void isAbsentWithoutHealthApi() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(StateStoreBroker.class)
				.doesNotHaveBean("embeddedStateStoreHealthIndicator"));
	}

	@Test
	void isAbsentWithoutEmbeddedBroker() {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=false", "statestore.port=1", "statestore.start-timeout=0s")
			.run((context) -> assertThat(context).doesNotHaveBean("embeddedStateStoreHealthIndicator"));
	}

	private static Health health(HealthIndicator indicator) {
		return Objects.requireNonNull(indicator.health());
	}

}
