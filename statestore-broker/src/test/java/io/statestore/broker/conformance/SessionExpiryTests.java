package io.statestore.broker.conformance;

import java.time.Duration;

import io.statestore.broker.StateStoreBroker;
import io.statestore.protocol.InvalidOptionException;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** The maximum session expiry of a broker. */
class SessionExpiryTests {

	private static final long ENDLESS = 0xFFFF_FFFFL;

	@ParameterizedTest
	@CsvSource({ "0,", "1,", "59,", "60,", "61, 60", "2592000, 60", "4294967294, 60", "4294967295, 60" })
	void connackNamesReducedExpiry(long requested, @Nullable Long granted) throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().maxSessionExpiry(Duration.ofMinutes(1)).start();
				RawMqttConnection client = new RawMqttConnection(broker.port())) {
			assertThat(client.connect(connect("c", expiry(requested))).property(PropertyType.SESSION_EXPIRY_INTERVAL))
				.isEqualTo(granted);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 2_592_000, ENDLESS })
	void grantsAnyExpiryByDefault(long requested) throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				RawMqttConnection client = new RawMqttConnection(broker.port())) {
			assertThat(client.connect(connect("c", expiry(requested))).property(PropertyType.SESSION_EXPIRY_INTERVAL))
				.isNull();
		}
	}

	@Test
	void keepsSessionsUntilMaximum() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().maxSessionExpiry(Duration.ofMinutes(10)).start()) {
			connectAndClose(broker, connect("endless", expiry(ENDLESS)), null);
			assertThat(isPresent(broker, connect("endless", expiry(ENDLESS)))).isTrue();
		}
	}

	@Test
	void endsSessionsAfterMaximum() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().maxSessionExpiry(Duration.ofSeconds(1)).start()) {
			connectAndClose(broker, connect("endless", expiry(ENDLESS)), null);
			connectAndClose(broker, connect("mqtt3").version(RawPacket.MQTT_3_1_1), null);
			connectAndClose(broker, connect("extended", expiry(1)), RawControl.disconnect(0, expiry(ENDLESS)));
			awaitEnd(broker, connect("endless", expiry(ENDLESS)));
			awaitEnd(broker, connect("mqtt3").version(RawPacket.MQTT_3_1_1));
			awaitEnd(broker, connect("extended", expiry(1)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-1S", "PT0S", "PT0.999S", "P49711D", "PT2562047788015215H" })
	void refusesMaximumOutOfRange(Duration maximum) {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> StateStoreBroker.builder().maxSessionExpiry(maximum))
			.withMessageContaining("must be 1s to 49710d");
	}

	private static RawProperty expiry(long seconds) {
		return PropertyType.SESSION_EXPIRY_INTERVAL.of(seconds);
	}

	private static RawConnect connect(String clientId, RawProperty... properties) {
		return RawConnect.of(clientId, properties).cleanStart(false);
	}

	private static void connectAndClose(StateStoreBroker broker, RawConnect connect, @Nullable RawPacket last)
			throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(broker.port())) {
			client.connect(connect);
			if (last != null) {
				client.send(last);
				client.assertClosed();
			}
		}
	}

	/**
	 * Waits until a session has ended. Each connection extends the session, so the client
	 * must be disconnected for longer than the maximum.
	 */
	private static void awaitEnd(StateStoreBroker broker, RawConnect connect) {
		Duration away = Duration.ofMillis(1_500);
		await().pollDelay(away)
			.pollInterval(away)
			.atMost(Duration.ofMinutes(1))
			.until(() -> !isPresent(broker, connect));
	}

	private static boolean isPresent(StateStoreBroker broker, RawConnect connect) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(broker.port())) {
			return client.connect(connect).sessionPresent();
		}
	}

}
