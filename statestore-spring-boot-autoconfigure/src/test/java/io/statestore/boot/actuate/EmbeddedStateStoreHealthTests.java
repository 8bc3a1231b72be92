package io.statestore.boot.actuate;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.broker.FailingBroker;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.client.StateStoreTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.statestore.boot.DurabilityFixture.log;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.map;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@Timeout(60)
class EmbeddedStateStoreHealthTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s",
				"statestore.request-timeout=2s")
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						EmbeddedStateStoreHealthContributorAutoConfiguration.class, StateStoreAutoConfiguration.class));

	private static StateStoreStatistics statistics;

	@BeforeAll
	static void readStatistics() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			statistics = broker.statistics();
		}
	}

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
	void reportsCommandLog() {
		Health health = health(log(Duration.ofMillis(90_500), true), null);
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("durability",
				Map.of("directory", "/data", "writable", true, "logSize", 1_000L, "entriesBehind", 3L, "snapshotAge",
						"PT1M30S", "recoveredEntries", 50L, "recoveryDuration", "PT1.5S"));
	}

	@Test
	void reportsDegradedWhileDiskIsFull() {
		Health health = health(log(null, false), null);
		assertThat(health.getStatus()).isEqualTo(new Status("DEGRADED"));
		assertThat(health.getDetails()).extractingByKey("durability", map(String.class, Object.class))
			.containsEntry("writable", false)
			.doesNotContainKey("snapshotAge");
	}

	@Test
	void reportsDownOnceLogHasFailed() {
		Health health = health(log(null, false), new Error("The log has failed"));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("error", "java.lang.Error: The log has failed")
			.containsKey("durability");
	}

	@Test
	void omitsCommandLogWithoutDirectory() {
		assertThat(health(null, null).getDetails()).containsKey("keys").doesNotContainKey("durability");
	}

	private static Health health(@Nullable DurabilityStatistics log, @Nullable Error failure) {
		StateStoreBroker broker = mock(StateStoreBroker.class);
		given(broker.statistics()).willReturn(statistics);
		given(broker.durability()).willReturn(Optional.ofNullable(log));
		given(broker.failure()).willReturn(Optional.ofNullable(failure));
		return health(new EmbeddedStateStoreHealthIndicator(broker));
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
