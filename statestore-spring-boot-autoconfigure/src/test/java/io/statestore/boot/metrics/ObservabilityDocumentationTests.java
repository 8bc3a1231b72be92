package io.statestore.boot.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.boot.ClusterFixture;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreLeaderAutoConfiguration;
import io.statestore.boot.StateStoreLockAutoConfiguration;
import io.statestore.boot.observation.StateStoreObservationAutoConfiguration;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Compares {@code docs/monitoring.md} with all meters and observations of a complete
 * application.
 */
@Timeout(60)
class ObservabilityDocumentationTests {

	private static final Path PAGE = Path.of("../docs/monitoring.md");

	private static final String REGENERATE = "mvn test -pl statestore-spring-boot-autoconfigure -am "
			+ "-Dtest=ObservabilityDocumentationTests -Dsurefire.failIfNoSpecifiedTests=false -Dobservability.write=true";

	/** Meters of the application, except those of other libraries. */
	private static final List<Meter> meters = new ArrayList<>();

	@BeforeAll
	static void runApplication(@TempDir Path directory) throws IOException {
		ApplicationContextRunner application = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, ObservationAutoConfiguration.class,
					MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
					EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
					StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
					StateStoreObservationAutoConfiguration.class, StateStoreMetricsAutoConfiguration.class,
					EmbeddedStateStoreMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(Listener.class)
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.embedded.data-directory=" + directory,
					"statestore.leader.enabled=true", "statestore.leader.role=ovens", "statestore.start-timeout=20s");
		// The second start recovers a store; the meters for the recovery exist from then
		// on.
		application.run((context) -> assertThat(context).hasNotFailed());
		application.run(ObservabilityDocumentationTests::collect);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
					EmbeddedStateStoreMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues(new ClusterFixture(directory.resolve("cluster"), "a").properties("a", "new-cluster"))
			.run((context) -> context.getBean(MeterRegistry.class)
				.getMeters()
				.stream()
				.filter((meter) -> meter.getId().getName().startsWith("statestore.cluster."))
				.forEach(meters::add));
	}

	private static void collect(ApplicationContext context) {
		context.getBean(StateStoreOperations.class).set("mode", "automatic");
		await("the leader").until(context.getBean(StateStoreLeaderInitiator.class)::isLeader);
		MeterRegistry registry = context.getBean(MeterRegistry.class);
		await("a call of the listener").until(() -> registry.find("statestore.listener").timer() != null);
		registry.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().startsWith("statestore"))
			.forEach(meters::add);
	}

	@Test
	void pageListsEveryMeter() throws IOException {
		Collection<String> observations = ObservabilityReference.observationNames();
		assertPageContains("meters",
				ObservabilityReference.meters(meters.stream()
					.filter((meter) -> !observations.contains(meter.getId().getName().replaceAll("\\.active$", "")))
					.toList()));
	}

	@Test
	void pageListsEveryObservation() throws IOException {
		String tables = ObservabilityReference.observationTables();
		assertThat(tables).doesNotContain("null", "{@", "{`");
		assertPageContains("observations", tables);
	}

	@Test
	void everyObservationHasTimerAndCallsInFlight() {
		assertThat(meters).extracting((meter) -> meter.getId().getName())
			.containsAll(ObservabilityReference.observationNames())
			.containsAll(ObservabilityReference.observationNames().stream().map((name) -> name + ".active").toList());
	}

	@Test
	void everyMeterHasDescriptionAndNoKeyAsTag() {
		assertThat(meters).noneMatch((meter) -> meter.getId().getTag("statestore.key") != null)
			.filteredOn((meter) -> meter.getId().getType() != Meter.Type.TIMER
					&& meter.getId().getType() != Meter.Type.LONG_TASK_TIMER)
			.allSatisfy((meter) -> assertThat(meter.getId().getDescription()).isNotBlank());
	}

	/**
	 * Compares a generated part of the page, or writes it if a property says so.
	 */
	private static void assertPageContains(String part, String expected) throws IOException {
		String begin = "<!-- begin of generated " + part + " -->\n\n";
		String end = "\n<!-- end of generated " + part + " -->";
		String page = Files.readString(PAGE);
		int from = page.indexOf(begin) + begin.length();
		int to = page.indexOf(end);
		assertThat(to).as("the end of the generated " + part).isGreaterThanOrEqualTo(from);
		if (Boolean.getBoolean("observability.write")) {
			Files.writeString(PAGE, page.substring(0, from) + expected + page.substring(to));
			return;
		}
		assertThat(page.substring(from, to)).as("docs/monitoring.md; regenerate it with '%s'", REGENERATE)
			.isEqualTo(expected);
	}

	/** Listener whose calls are observed. */
	static class Listener {

		@StateStoreListener(keys = "mode")
		void changed(KeyChange<String> change) {
		}

	}

}
