package io.statestore.boot.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.RulesFile;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class EmbeddedBrokerMetricsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	@Test
	void followContentRequestsAndRefusals() {
		try (StateStoreBroker broker = StateStoreBroker.builder().limits((limits) -> limits.withMaxKeys(1)).start();
				StateStoreConnection connection = new StateStoreConnection(
						ConnectionOptions.builder().host(broker.host()).port(broker.port()).build())) {
			new EmbeddedBrokerMetrics(broker).bindTo(this.meters);
			StateStoreTemplate template = new StateStoreTemplate(connection);
			template.set("key", Bytes.of("value"));
			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> template.set("another", Bytes.of("value")));
			assertThat(gauge("up")).isEqualTo(1);
			assertThat(gauge("connections")).isEqualTo(1);
			assertThat(gauge("keys")).isEqualTo(1);
			assertThat(gauge("keys.max")).isEqualTo(1);
			assertThat(gauge("size")).isEqualTo(8);
			assertThat(meter("requests").tag("command", "SET").functionCounter().count()).isEqualTo(2);
			assertThat(meter("requests").tag("command", "GET").functionCounter().count()).isZero();
			assertThat(meter("refusals").tag("error.type", "QUOTA_EXCEEDED").functionCounter().count()).isEqualTo(1);
			assertThat(meter("memory.used").tag("use", "connection").gauge().value()).isPositive()
				.isLessThan(gauge("memory.max"));
		}
	}

	@Test
	void followUserLimits() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.account("ada", "p")
			.principalLimits((limits) -> limits.withMaxKeys(1))
			.start();
				StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
					.host(broker.host())
					.port(broker.port())
					.username("ada")
					.password("p")
					.build())) {
			new EmbeddedBrokerMetrics(broker).bindTo(this.meters);
			StateStoreTemplate template = new StateStoreTemplate(connection);
			template.set("key", Bytes.of("value"));
			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> template.set("another", Bytes.of("value")));
			assertThat(gauge("principals")).isEqualTo(1);
			assertThat(meter("principals.keys.refused").functionCounter().count()).isEqualTo(1);
			assertThat(meter("principals.connections.refused").functionCounter().count()).isZero();
			assertThat(meter("principals.requests.delayed").functionCounter().count()).isZero();
		}
	}

	@Test
	void followDenials(@TempDir Path directory) throws IOException {
		Path rules = Files.writeString(directory.resolve("rules"), "everyone read key *");
		try (StateStoreBroker broker = StateStoreBroker.builder().authorizer(RulesFile.of(rules)).start();
				StateStoreConnection connection = new StateStoreConnection(
						ConnectionOptions.builder().host(broker.host()).port(broker.port()).build())) {
			new EmbeddedBrokerMetrics(broker).bindTo(this.meters);
			StateStoreTemplate template = new StateStoreTemplate(connection);
			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> template.set("key", Bytes.of("value")));
			assertThat(template.get("key", Bytes.class)).isEmpty();
			assertThat(meter("requests.denied").functionCounter().count()).isEqualTo(1);
			assertThat(meter("topics.denied").functionCounter().count()).isZero();
		}
	}

	private RequiredSearch meter(String name) {
		return this.meters.get("statestore.broker." + name);
	}

	private double gauge(String name) {
		return meter(name).gauge().value();
	}

}
