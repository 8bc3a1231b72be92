package io.statestore.broker.conformance;

import java.util.List;
import java.util.UUID;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Administration requests on the wire, to the broker and the gateway. */
class AdministrationTests {

	private static final String TOPIC = "statestore-administration/v1/request";

	private static final String HOLDER = "oven-1/" + new UUID(1, 2) + "/1";

	@Test
	void brokerAnswersLocalClientByDefault() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				StoreClient client = StoreClient.connect(broker.port(), "adm-1")) {
			assertListsLock(client);
			assertRefusesMalformedPayloads(client);
		}
	}

	@Test
	void brokerAnswersAuthenticatedClient() {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("ada", "secret").start();
				StoreClient client = new StoreClient("adm-2",
						RawMqttClient.connect(broker.port(), "adm-2", "ada", "secret"))) {
			assertListsLock(client);
		}
	}

	@Test
	void brokerRefusesIfAdministrationIsOff() {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start();
				StoreClient client = StoreClient.connect(broker.port(), "adm-3")) {
			assertThat(Resp.text(list(client))).isEqualTo("-ERR not authorized⏎");
			assertThat(client.value("absent")).isNull();
		}
	}

	@Test
	void otherClientsDoNotSeeRequestsToBroker() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				StoreClient client = StoreClient.connect(broker.port(), "adm-4");
				StoreClient curious = StoreClient.connect(broker.port(), "adm-5")) {
			curious.mqtt().subscribe("#");
			curious.mqtt().subscribe(TOPIC);
			list(client);
			curious.fence();

			assertThat(curious.mqtt().messages((message) -> message.topic.equals(TOPIC))).isEmpty();
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void gatewayAnswersIfEnabled() {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.administration(true)
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "adm-6")) {
			assertThat(gateway.isServing()).isTrue();
			assertListsLock(client);
			assertRefusesMalformedPayloads(client);
			for (String[] sessions : new String[][] { { "SESSIONS" }, { "ENDSESSION", "c" } }) {
				assertThat(Resp.text(client.exchange(request(client, Resp.command((Object[]) sessions)))))
					.startsWith("-ERR this server keeps no MQTT sessions");
			}
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void gatewayHasNoSubscriptionByDefault() {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "adm-7")) {
			assertThat(gateway.isServing()).isTrue();
			int packet = client.mqtt().send(request(client, Resp.command("LOCKS", "*")));

			assertThat(client.mqtt().puback(packet)).isEqualTo(0x10);
		}
	}

	private static void assertListsLock(StoreClient client) {
		client.call("SET", "press-1", HOLDER, "NEX", "PX", "60000");
		client.call("SET", "data", "x");

		String answer = Resp.text(list(client));

		assertThat(answer).startsWith("*1⏎*1⏎")
			.contains("$3⏎key⏎$7⏎press-1⏎")
			.contains("⏎" + HOLDER + "⏎")
			.contains("$6⏎client⏎$5⏎" + client.clientId() + "⏎")
			.contains("$5⏎token⏎")
			.contains("$9⏎remaining⏎$5⏎")
			.contains("$7⏎waiters⏎$1⏎0⏎");
	}

	private static void assertRefusesMalformedPayloads(StoreClient client) {
		for (String payload : List.of("", "*", "LOCKS", "*1⏎$5⏎LOCKS⏎", "*2⏎$5⏎LOCKS⏎$9⏎*⏎", "*0⏎", "*2⏎$5⏎locks⏎$1⏎*⏎",
				"*2⏎$5⏎LOCKS⏎$1⏎*⏎trailing")) {
			assertThat(Resp.text(client.exchange(request(client, Resp.raw(payload))))).startsWith("-ERR ");
		}
		assertThat(client.value("data")).isEqualTo("x");
	}

	private static RawPublish list(StoreClient client) {
		return client.exchange(request(client, Resp.command("LOCKS", "*")));
	}

	private static RawPublish request(StoreClient client, byte[] payload) {
		RawPublish request = client.request(payload);
		request.topic = TOPIC;
		return request;
	}

}
