package io.statestore.boot.metrics;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreLeaderAutoConfiguration;
import io.statestore.boot.StateStoreLockAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Meters of an application whose broker goes away and returns. */
@Timeout(60)
class OutageMetricsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withBean(MeterRegistry.class, () -> this.meters)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, StateStoreAutoConfiguration.class,
				StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
				MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
				StateStoreMetricsAutoConfiguration.class));

	@Test
	void showBrokerOutageAndRecovery() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		int port = broker.port();
		this.contextRunner.withBean(Listener.class)
			.withPropertyValues("statestore.port=" + port, "statestore.reconnect.max-delay=200ms",
					"statestore.lock.lease=2s", "statestore.start-timeout=20s", "statestore.leader.enabled=true",
					"statestore.leader.role=ovens", "statestore.leader.lease=2s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				showHealthyApplication(context);
				broker.close();
				showOutage();
				try (StateStoreBroker returned = StateStoreBroker.builder().port(port).start()) {
					showReturn(context);
				}
			});
	}

	@Test
	void showHostInUse() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			String used = "localhost:" + broker.port();
			this.contextRunner
				.withPropertyValues("statestore.hosts=localhost:1," + used, "statestore.start-timeout=20s",
						"statestore.client-id=hosts")
				.run((context) -> {
					assertThat(meter("connection.active").tag("host", used).gauge().value()).isEqualTo(1);
					assertThat(meter("connection.active").tag("host", "localhost:1").gauge().value()).isZero();
					broker.close();
					await("the outage").until(() -> meter("connection.active").tag("host", used).gauge().value() == 0);
				});
		}
	}

	private void showHealthyApplication(ApplicationContext context) {
		assertThat(gauge("connection.up")).isEqualTo(1);
		context.getBean(StateStoreOperations.class).set("mode", "automatic");
		FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("press");
		lock.lock();
		await("the leader").until(() -> gauge("leader") == 1);
		await("both locks").until(() -> gauge("lock.held") == 2);
		await("a renewal").until(() -> meter("lock.renewal").timer().count() > 0);
		await("the change").until(() -> delivered("false") == 1);
		assertThat(gauge("changes.pending")).isZero();
		assertThat(gauge("watches")).isPositive();
		assertThat(meter("lock.wait").tag("outcome", "acquired").timer().count()).isGreaterThanOrEqualTo(2);
		assertThat(meter("lock.renewal").timer().totalTime(TimeUnit.MILLISECONDS)).isPositive();
		assertThat(meter("clock.offset").timeGauge().value(TimeUnit.SECONDS)).isBetween(-5.0, 5.0);
		assertThat(count("connection.reconnects")).isZero();
	}

	private void showOutage() {
		await("the outage").until(() -> gauge("connection.up") == 0);
		await("a failed renewal").until(() -> count("lock.renewal.failures") > 0);
		await("two lost locks").until(() -> meter("lock.lost").tag("reason", "expired").counter().count() >= 2);
		assertThat(gauge("leader")).isZero();
		assertThat(gauge("lock.held")).isZero();
	}

	private void showReturn(ApplicationContext context) {
		await("the connection").until(() -> gauge("connection.up") == 1);
		assertThat(count("connection.reconnects")).isEqualTo(1);
		await("the leader").until(() -> gauge("leader") == 1);
		// The broker returned without its data, so the key is gone.
		await("the deletion").until(() -> delivered("true") == 1);
	}

	private double delivered(String resynchronized) {
		return meter("changes.delivered").tag("resynchronized", resynchronized).functionCounter().count();
	}

	@Test
	void areAbsentWithoutMicrometer() {
		this.contextRunner.withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).doesNotHaveBean("stateStoreConnectionMetrics"));
	}

	@Test
	void areAbsentWithoutMeterRegistry() {
		new ApplicationContextRunner().withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
			.withConfiguration(AutoConfigurations.of(StateStoreAutoConfiguration.class,
					StateStoreLockAutoConfiguration.class, StateStoreMetricsAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ConnectionMetrics.class));
	}

	private RequiredSearch meter(String name) {
		return this.meters.get("statestore." + name);
	}

	private double gauge(String name) {
		return meter(name).gauge().value();
	}

	private double count(String name) {
		return meter(name).meter().measure().iterator().next().getValue();
	}

	/** Listens to a key whose changes are counted. */
	static class Listener {

		@StateStoreListener(keys = "mode")
		void changed(KeyChange<String> change) {
		}

	}

}
