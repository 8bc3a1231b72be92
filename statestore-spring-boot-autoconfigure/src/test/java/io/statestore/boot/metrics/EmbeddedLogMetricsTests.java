package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.statestore.boot.DurabilityFixture.log;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class EmbeddedLogMetricsTests {

	private final StateStoreBroker broker = mock(StateStoreBroker.class);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withBean(StateStoreBroker.class, () -> this.broker)
		.withBean(MeterRegistry.class, () -> this.meters)
		.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreMetricsAutoConfiguration.class));

	@Test
	void bindsCommandLogMeters() {
		given(this.broker.durability()).willReturn(Optional.of(log(Duration.ofMinutes(2), true)));
		this.contextRunner.run((context) -> context.getBean(EmbeddedLogMetrics.class).bindTo(this.meters));
		assertThat(gauge("statestore.log.size")).isEqualTo(1_000);
		assertThat(gauge("statestore.log.segments")).isEqualTo(2);
		assertThat(gauge("statestore.log.pending")).isEqualTo(3);
		assertThat(gauge("statestore.log.writable")).isEqualTo(1);
		FunctionTimer fsync = this.meters.get("statestore.log.fsync").functionTimer();
		assertThat(fsync.count()).isEqualTo(4);
		assertThat(fsync.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(8);
		assertThat(seconds("statestore.log.fsync.max")).isEqualTo(0.005);
		assertThat(gauge("statestore.snapshot.size")).isEqualTo(700);
		assertThat(seconds("statestore.snapshot.age")).isEqualTo(120);
		assertThat(gauge("statestore.recovery.entries")).isEqualTo(50);
		assertThat(seconds("statestore.recovery.duration")).isEqualTo(1.5);
	}

	@Test
	void followsLog() {
		given(this.broker.durability()).willReturn(Optional.of(log(null, true)));
		new EmbeddedLogMetrics(this.broker).bindTo(this.meters);
		assertThat(seconds("statestore.snapshot.age")).isNaN();
		given(this.broker.durability()).willReturn(Optional.of(log(Duration.ofSeconds(1), false)));
		assertThat(seconds("statestore.snapshot.age")).isEqualTo(1);
		assertThat(gauge("statestore.log.writable")).isZero();
	}

	@Test
	void bindsNoMetersWithoutDirectory() {
		given(this.broker.durability()).willReturn(Optional.empty());
		new EmbeddedLogMetrics(this.broker).bindTo(this.meters);
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void isAbsentWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("embeddedStateStoreLogMetrics"));
	}

	private double gauge(String name) {
		return this.meters.get(name).gauge().value();
	}

	private double seconds(String name) {
		return this.meters.get(name).timeGauge().value(TimeUnit.SECONDS);
	}

}
