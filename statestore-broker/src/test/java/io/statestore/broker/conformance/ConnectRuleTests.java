package io.statestore.broker.conformance;

import java.nio.file.Files;
import java.nio.file.Path;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.test.CapturedLog;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Rules for client ids, and the log messages for refused ids. */
@Isolated("captures the log")
class ConnectRuleTests {

	private static final int NOT_VALID = 0x85;

	private static final String EXCHANGE = "io.statestore.broker.mqtt.ConnectExchange";

	private static final String RULES = """
			group presses = press-1 press-2
			group presses connect {username}
			users connect {username}.*
			everyone connect statestore-*
			""";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "press-1, press-1, 0", "press-1, press-2, 133", "press-1, press-1.display, 0", "mal, press-1, 133",
			"mal, press-1.display, 133", "mal, mal.1, 0", "mal, mal, 133", "mal, statestore-1, 0", ", press-1, 133",
			", statestore-1, 0", "*, press-1.display, 133" })
	void bindsClientIdsToUsers(String user, String clientId, int reason) throws Exception {
		try (StateStoreBroker broker = start(RULES)) {
			assertThat(reason(broker, login(user, clientId))).isEqualTo(reason);
		}
	}

	@Test
	void permitsAnyClientIdWithoutClientIdRule() throws Exception {
		try (StateStoreBroker broker = start("users read key *")) {
			assertThat(reason(broker, login("mal", "press-1"))).isZero();
		}
	}

	@Test
	void namesRuleForRefusedClient() throws Exception {
		try (StateStoreBroker broker = start(RULES);
				CapturedLog log = new CapturedLog(EXCHANGE, Level.WARN);
				CapturedLog audit = new CapturedLog(AuditLog.LOGGER, Level.WARN)) {
			assertThat(reason(broker, squat())).isEqualTo(NOT_VALID);
			assertThat(log.messages()).containsExactly("Refused client 'press-1' of 'mal': no rule permits its client "
					+ "id. If this user may use it, add the rule: user mal connect press-1");
			assertThat(audit.messages())
				.containsExactly("event=login-failed principal=\"mal\" client=\"press-1\" address=127.0.0.1 "
						+ "reason=\"no rule permits its client id\"");
			assertThat(reason(broker, login("press-1", "press-1"))).isZero();
		}
	}

	@Test
	void suggestedRuleMatchesRefusedClientIdOnly() throws Exception {
		try (StateStoreBroker broker = start(RULES); CapturedLog log = new CapturedLog(EXCHANGE, Level.WARN)) {
			assertThat(reason(broker, login("a \"b\"", "* {username}"))).isEqualTo(NOT_VALID);
			assertThat(log.messages()).singleElement()
				.asString()
				.endsWith(": user \"a \\\"b\\\"\" connect \"[*] {{username}\"");
		}
	}

	@Test
	void refusesMqtt3AndAnonymousClients() throws Exception {
		try (StateStoreBroker broker = start(RULES); CapturedLog log = new CapturedLog(EXCHANGE, Level.WARN)) {
			assertThat(reason(broker, login(null, "press-1").version(RawPacket.MQTT_3_1_1))).isEqualTo(2);
			assertThat(log.messages()).singleElement().asString().endsWith(": everyone connect press-1");
		}
	}

	/**
	 * Adding a rule does not take a client id away from another user who already has it.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			value = { "true | press-1 | press-1", "false | press-1 | press-1", "false | press 1's | 'press 1'\\''s'" })
	void namesOwnerAndCommandForClientIdOfAnotherUser(boolean connected, String clientId, String argument)
			throws Exception {
		try (StateStoreBroker broker = start("");
				CapturedLog log = new CapturedLog(EXCHANGE, Level.WARN);
				RawMqttConnection mal = new RawMqttConnection(broker.port())) {
			RawConnect squat = login("mal", clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(0xFFFF_FFFFL));
			assertThat(mal.connect(squat.cleanStart(false)).reason()).isZero();
			if (!connected) {
				mal.close();
			}
			assertThat(reason(broker, login("press-1", clientId))).isEqualTo(NOT_VALID);
			assertThat(log.messages()).singleElement()
				.asString()
				.startsWith("Refused client '" + clientId + "' of 'press-1': ")
				.contains("'mal'")
				.endsWith("statestore sessions end " + argument);
		}
	}

	private StateStoreBroker start(String rules) throws Exception {
		return StateStoreBroker.builder()
			.authenticator(TestLogins.AUTHENTICATOR)
			.anonymous(AnonymousAccess.LOOPBACK)
			.rules(Files.writeString(this.directory.resolve("rules"), rules))
			.start();
	}

	private static RawConnect squat() {
		return login("mal", "press-1", PropertyType.SESSION_EXPIRY_INTERVAL.of(0xFFFF_FFFFL)).cleanStart(false);
	}

	private static int reason(StateStoreBroker broker, RawConnect connect) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(broker.port())) {
			return client.connect(connect).reason();
		}
	}

	private static RawConnect login(@Nullable String user, String clientId, RawProperty... properties) {
		RawConnect connect = RawConnect.of(clientId, properties);
		return (user != null) ? connect.login(user, "password of " + user) : connect;
	}

}
