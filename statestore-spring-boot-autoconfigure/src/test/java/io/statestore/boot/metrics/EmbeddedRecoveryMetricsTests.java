package io.statestore.boot.metrics;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.RecoveryProgress;
import io.statestore.broker.storage.RecoveryProgress.Part;
import io.statestore.client.StateStoreTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class EmbeddedRecoveryMetricsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withBean(MeterRegistry.class, () -> this.meters)
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s")
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						EmbeddedStateStoreMetricsAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void showsProgressWhileApplicationStarts(@TempDir Path directory) {
		List<Double> seen = new ArrayList<>();
		RecoveryListener listener = (progress) -> {
			Gauge gauge = this.meters.find("statestore.recovery.progress").tag("part", "log").gauge();
			if (gauge != null) {
				seen.add(gauge.value());
			}
		};
		ApplicationContextRunner broker = this.contextRunner
			.withPropertyValues("statestore.embedded.data-directory=" + directory)
			.withBean(RecoveryListener.class, () -> listener);
		broker.run((context) -> {
			assertThat(this.meters.getMeters()).isEmpty();
			context.getBean(StateStoreTemplate.class).set("key", "value");
		});
		broker.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(seen).isNotEmpty().allSatisfy((fraction) -> assertThat(fraction).isBetween(0.0, 0.99));
			assertThat(progress("snapshot")).isEqualTo(1);
			assertThat(progress("log")).isEqualTo(1);
		});
	}

	@Test
	void followsSnapshotAndLog() {
		RecoveryListener metrics = metrics(this.meters);
		metrics.recovering(progress(Part.SNAPSHOT, 250));
		assertThat(progress("snapshot")).isEqualTo(0.25);
		assertThat(progress("log")).isZero();
		metrics.recovering(progress(Part.LOG, 500));
		assertThat(progress("snapshot")).isEqualTo(1);
		assertThat(progress("log")).isEqualTo(0.5);
	}

	@Test
	void isOptional() {
		RecoveryListener metrics = new EmbeddedRecoveryMetrics(
				new StaticListableBeanFactory().getBeanProvider(MeterRegistry.class));
		metrics.recovering(progress(Part.LOG, 500));
		assertThat(this.meters.getMeters()).isEmpty();
	}

	/** Returns metrics that register their meters in a registry. */
	private static RecoveryListener metrics(MeterRegistry meters) {
		return new EmbeddedRecoveryMetrics(
				new StaticListableBeanFactory(Map.of("meters", meters)).getBeanProvider(MeterRegistry.class));
	}

	private static RecoveryProgress progress(Part part, long bytesDone) {
		return new RecoveryProgress(Path.of("/data"), part, bytesDone, 1_000, 3);
	}

	private double progress(String part) {
		return this.meters.get("statestore.recovery.progress").tag("part", part).gauge().value();
	}

}
