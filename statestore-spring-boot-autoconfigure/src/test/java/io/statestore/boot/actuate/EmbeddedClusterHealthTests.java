package io.statestore.boot.actuate;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.statestore.boot.ClusterFixture;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** Health of the embedded broker as a cluster node. */
@Timeout(60)
class EmbeddedClusterHealthTests {

	@TempDir
	private Path directory;

	private ApplicationContextRunner runner(ClusterFixture fixture) throws Exception {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(SslAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
							EmbeddedStateStoreHealthContributorAutoConfiguration.class))
			.withPropertyValues(fixture.properties("a", "new-cluster"));
	}

	@Test
	void leaderIsUpAndShowsItsState() throws Exception {
		runner(new ClusterFixture(this.directory, "a")).run((context) -> {
			EmbeddedStateStoreHealthIndicator indicator = context.getBean(EmbeddedStateStoreHealthIndicator.class);
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> health(indicator).getStatus() == Status.UP);
			assertThat(details(health(indicator))).containsEntry("node", "a")
				.containsEntry("role", "leader")
				.containsEntry("writable", true)
				.containsKeys("term", "storedEntries", "appliedEntries", "snapshotEntries");
		});
	}

	@Test
	void nodeWithoutLeaderIsOutOfService() throws Exception {
		runner(new ClusterFixture(this.directory, "a", "b", "c")).run((context) -> {
			Health health = health(context.getBean(EmbeddedStateStoreHealthIndicator.class));
			assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(details(health)).containsEntry("leader", "none");
		});
	}

	private static Health health(EmbeddedStateStoreHealthIndicator indicator) {
		return Objects.requireNonNull(indicator.health());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> details(Health health) {
		return (Map<String, Object>) Objects.requireNonNull(health.getDetails().get("cluster"));
	}

}
