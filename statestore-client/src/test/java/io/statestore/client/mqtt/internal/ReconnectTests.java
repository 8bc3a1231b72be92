package io.statestore.client.mqtt.internal;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Outages with default delays. */
@Timeout(60)
@Isolated("captures the log")
class ReconnectTests {

	private final FakeBroker broker = new FakeBroker();

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	private final ConnectionOptions defaults = ConnectionOptions.builder().build();

	private final MqttConnection connection = new MqttConnection(this.broker.options()
		.startTimeout(Duration.ZERO)
		.reconnectDelay(this.defaults.reconnectInitialDelay(), this.defaults.reconnectMaxDelay())
		.build());

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
		this.log.close();
	}

	@Tag("long")
	@Test
	void usesRecoveredBrokerSoon() {
		this.connection.start();
		await("the connection").until(this.connection::isConnected);
		this.broker.stop();
		assertReconnectsSoon();
		assertThat(this.log.messages(Level.WARN)).hasSize(1).first().asString().startsWith("Lost connection to ");
		assertThat(this.log.messages(Level.INFO)).filteredOn((message) -> message.startsWith("Reconnected to "))
			.hasSize(1)
			.first()
			.asString()
			.matches(".* after \\d+\\.\\d s, \\d+ attempts");
	}

	@Tag("long")
	@Test
	void usesLateBrokerSoon() {
		this.broker.stop();
		this.connection.start();
		assertReconnectsSoon();
		assertThat(this.log.messages(Level.WARN)).hasSize(1)
			.first()
			.asString()
			.contains(ConnectionDiagnosis.NOT_LISTENING.cause())
			.contains(ConnectionDiagnosis.NOT_LISTENING.nextStep());
	}

	/** Waits until the delay has grown to its maximum. */
	private void assertReconnectsSoon() {
		await("the longest delay").until(() -> this.log.contains("attempt 7;"));
		long restart = System.nanoTime();
		this.broker.restart();
		await("the connection").until(this.connection::isConnected);
		// Within 2 s on an idle machine: the longest delay is 1 s.
		assertThat(Duration.ofNanos(System.nanoTime() - restart)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void explainsTakeoverOfSession() {
		this.connection.start();
		await("the connection").until(this.connection::isConnected);
		this.broker.send(io.netty.handler.codec.mqtt.MqttMessageBuilders.disconnect().reasonCode((byte) 0x8E).build());
		await("the warning").until(() -> this.log.contains("Lost connection to "));
		assertThat(this.log.messages(Level.WARN)).hasSize(1)
			.first()
			.asString()
			.contains("'test'")
			.contains(ConnectionDiagnosis.CLIENT_ID_IN_USE.nextStep());
		assertThat(this.connection.outage()).contains(ConnectionDiagnosis.CLIENT_ID_IN_USE.nextStep());
		assertThat(this.broker.connects).hasSize(1);
	}

}
