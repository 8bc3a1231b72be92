package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.ClientResources;
import io.statestore.client.mqtt.ConnectionStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class ConnectionStatusTests extends ConnectionFixture {

	private final AtomicLong skippedNanos = new AtomicLong();

	private final MqttConnection connection = new MqttConnection(this.broker.options().build(),
			new ClientResources(() -> System.nanoTime() + this.skippedNanos.get()));

	ConnectionStatusTests() {
		this.connections.add(this.connection);
	}

	@Test
	void reportsTimeAndReasonBeforeFirstUse() {
		skipHour();
		ConnectionStatus status = this.connection.status();
		assertThat(status.connected()).isFalse();
		assertHour(status);
		assertThat(status.problem()).isEqualTo("The connection to " + url() + " is not in use yet.");
	}

	@Test
	void reportsTimeWithAndWithoutConnection() {
		this.connection.start();
		skipHour();
		ConnectionStatus connected = this.connection.status();
		assertThat(connected.connected()).isTrue();
		assertHour(connected);
		assertThat(connected.reconnects()).isZero();
		assertThat(connected.problem()).isNull();
		this.broker.stop();
		await("the diagnosis").until(() -> String.valueOf(this.connection.status().problem())
			.contains(ConnectionDiagnosis.NOT_LISTENING.nextStep()));
		skipHour();
		assertThat(this.connection.status().connected()).isFalse();
		assertHour(this.connection.status());
	}

	@Test
	void countsReconnects() {
		this.connection.start();
		this.broker.stop();
		await("the loss").until(() -> !this.connection.status().connected());
		this.broker.restart();
		await("the connection").until(() -> this.connection.status().connected());
		assertThat(this.connection.status().reconnects()).isEqualTo(1);
		assertThat(this.connection.status().duration()).isLessThan(Duration.ofSeconds(30));
	}

	private void skipHour() {
		this.skippedNanos.addAndGet(Duration.ofHours(1).toNanos());
	}

	private static void assertHour(ConnectionStatus status) {
		assertThat(status.duration()).isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
	}

}
