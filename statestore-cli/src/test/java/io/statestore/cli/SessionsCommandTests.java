package io.statestore.cli;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.cli.Cli.Result;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.Mosquitto;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands for MQTT sessions. */
@Timeout(120)
class SessionsCommandTests {

	@Test
	void listsSessionsAsTable() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				RawMqttClient press = RawMqttClient.connect(broker.port(), "press", true, 60)) {
			press.subscribe("t");
			RawMqttClient.connect(broker.port(), "oven", true, 0xFFFF_FFFFL).close();
			Result result = Cli.on(broker.port()).run("sessions");
			assertThat(result.err()).isEmpty();
			assertThat(result.exitCode()).isZero();
			assertThat(result.out().lines()).hasSize(3);
			assertThat(result.out()).startsWith("CLIENT  USER  CONNECTED  EXPIRES  SUBSCRIPTIONS  QUEUED  SIZE")
				.containsPattern("(?m)^oven +- +false +- +0 +0 +\\d+$")
				.containsPattern("(?m)^press +- +true +- +1 +0 +\\d+$");
		}
	}

	@Test
	void listsSessionsOfUserAsJson() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("ada", "p").account("bob", "p").start()) {
			for (String user : new String[] { "ada", "bob" }) {
				try (RawMqttConnection client = new RawMqttConnection(broker.port())) {
					assertThat(client
						.connect(RawConnect.of(user + "-1", PropertyType.SESSION_EXPIRY_INTERVAL.of(60))
							.login(user, "p"))
						.reason()).isZero();
				}
			}
			Result result = Cli.on(broker.port())
				.with("STATESTORE_USERNAME", "ada")
				.with("STATESTORE_PASSWORD", "p")
				.run("sessions", "--of-user", "bob", "-o", "json");
			assertThat(result.err()).isEmpty();
			assertThat(result.out().lines()).hasSize(1);
			assertThat(result.out()).contains("\"client\":\"bob-1\",\"user\":\"bob\",\"connected\":",
					"\"subscriptions\":0,\"queued\":0,\"size\":");
		}
	}

	@Test
	void endsSessions() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				RawMqttClient press = RawMqttClient.connect(broker.port(), "press", true, 60)) {
			RawMqttClient.connect(broker.port(), "oven", true, 60).close();
			Result result = Cli.on(broker.port()).run("sessions", "end", "press", "oven", "-o", "raw");
			assertThat(result.err()).isEmpty();
			assertThat(result.exitCode()).isZero();
			assertThat(result.out()).isEqualToNormalizingNewlines("press\ttrue\noven\ttrue\n");
			assertThat(press.awaitDisconnect()).isEqualTo(0x98);
			assertThat(Cli.on(broker.port()).run("sessions").out()).isEmpty();
		}
	}

	@Test
	void namesUnknownSession() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			RawMqttClient.connect(broker.port(), "oven", true, 60).close();
			Result result = Cli.on(broker.port()).run("sessions", "end", "press", "oven", "-o", "json");
			assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
			assertThat(result.err()).contains("Client 'press' has no session");
			assertThat(result.out()).contains("{\"client\":\"press\",\"ended\":false}",
					"{\"client\":\"oven\",\"ended\":true}");
		}
	}

	@Test
	void refusesUserWithoutAdminPermission() {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start()) {
			assertRefused(Cli.on(broker.port()).run("sessions"), "does not authorize this client");
			assertRefused(Cli.on(broker.port()).run("sessions", "end", "press"), "does not authorize this client");
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void gatewayHasNoSessions() {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.administration(true)
					.start()) {
			assertThat(gateway.isServing()).isTrue();
			assertRefused(Cli.on(mosquitto.port()).run("sessions"), "keeps no MQTT sessions");
			assertRefused(Cli.on(mosquitto.port()).run("clients"), "has no MQTT clients");
		}
	}

	private static void assertRefused(Result result, String reason) {
		assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.REFUSED);
		assertThat(result.err()).contains(reason).doesNotContain("\tat ");
		assertThat(result.out()).isEmpty();
	}

	@Test
	@RequiresProgram("mosquitto")
	void reportsUnresponsiveServer() {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.start()) {
			assertThat(gateway.isServing()).isTrue();
			Result list = Cli.on(mosquitto.port()).run("sessions");
			assertThat(list.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
			assertThat(list.err()).contains("no matching subscribers", "broker of this project");
			Result end = Cli.on(mosquitto.port()).run("sessions", "end", "press");
			assertThat(end.exitCode()).isEqualTo(ExitCodes.OUTCOME_UNKNOWN);
			assertThat(end.err()).contains("'press' may have ended");
		}
	}

}
