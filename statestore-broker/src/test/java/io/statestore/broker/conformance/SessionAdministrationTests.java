package io.statestore.broker.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ConnectedClient;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Administration requests for MQTT sessions on the wire. */
class SessionAdministrationTests {

	private static final int ADMINISTRATIVE_ACTION = 0x98;

	@TempDir
	private Path directory;

	private StateStoreBroker start(boolean durable) {
		return durable ? StateStoreBroker.builder().storage(StorageOptions.in(this.directory)).start()
				: StateStoreBroker.builder().start();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void listsSessions(boolean durable) {
		try (StateStoreBroker broker = start(durable);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttClient connected = RawMqttClient.connect(broker.port(), "press", true, 0xFFFF_FFFFL)) {
			connected.subscribe("a");
			connected.subscribe("b");
			try (RawMqttClient left = RawMqttClient.connect(broker.port(), "oven", true, 60)) {
				left.subscribe("c");
			}
			RawPublish message = RawPublish.of((publish) -> {
				publish.topic = "c";
				publish.payload = new byte[100];
			});
			admin.mqtt().puback(admin.mqtt().send(message));

			await().until(
					() -> list(admin).stream().noneMatch((each) -> each.client().equals("oven") && each.connected()));
			List<StoredSession> sessions = list(admin);

			assertThat(sessions).extracting(StoredSession::client).containsExactly("oven", "press");
			StoredSession oven = sessions.get(0);
			assertThat(oven.principal()).isNull();
			assertThat(oven.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
			assertThat(oven.subscriptionCount()).isOne();
			assertThat(oven.queuedCount()).isOne();
			assertThat(oven.bytes()).isGreaterThan(100);
			StoredSession press = sessions.get(1);
			assertThat(press.connected()).isTrue();
			assertThat(press.remaining()).isNull();
			assertThat(press.subscriptionCount()).isEqualTo(2);
			assertThat(Resp.text(exchange(admin, Resp.command("SESSIONS"))))
				.contains("$6⏎client⏎$5⏎press⏎$9⏎connected⏎$1⏎1⏎$13⏎subscriptions⏎$1⏎2⏎$6⏎queued⏎$1⏎0⏎$5⏎bytes⏎");
		}
	}

	@Test
	void listsSeveralPages() {
		try (StateStoreBroker broker = start(false); StoreClient admin = StoreClient.connect(broker.port(), "admin")) {
			for (int i = 0; i < 120; i++) {
				RawMqttClient.connect(broker.port(), "client-" + i, true, 60).close();
			}
			assertThat(list(admin)).extracting(StoredSession::client).hasSize(120).isSorted().doesNotHaveDuplicates();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void listsConnectedClientsOnly(boolean durable) {
		try (StateStoreBroker broker = start(durable);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttClient press = RawMqttClient.connect(broker.port(), "press")) {
			RawMqttClient.connect(broker.port(), "oven", true, 60).close();
			await().until(() -> !Resp.text(exchange(admin, Resp.command("CLIENTS"))).contains("oven"));
			List<ConnectedClient> clients = Administration
				.decodePage(ConnectedClient.class,
						Bytes.wrap(exchange(admin, Administration.encode(new ClientQuery(null))).payload))
				.items();
			assertThat(clients).extracting(ConnectedClient::client).containsExactly("admin", "press");
			assertThat(clients).allSatisfy((client) -> {
				assertThat(client.principal()).isNull();
				assertThat(client.address()).matches("127\\.0\\.0\\.1:\\d+");
				assertThat(client.connected()).isBetween(Duration.ZERO, Duration.ofMinutes(2));
			});
			assertThat(press.subscribe("t")).isLessThan(0x80);
		}
	}

	@Test
	void listsClientOnceAfterItConnectsAgain() {
		try (StateStoreBroker broker = start(false);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttClient first = RawMqttClient.connect(broker.port(), "press");
				RawMqttClient second = RawMqttClient.connect(broker.port(), "press")) {
			first.awaitEnd();
			assertThat(Resp.text(exchange(admin, Resp.command("CLIENTS", "TOKEN", "admin")))).containsOnlyOnce("press");
			assertThat(second.subscribe("t")).isLessThan(0x80);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void endsSessionOfConnectedClient(boolean durable) {
		try (StateStoreBroker broker = start(durable);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttClient client = RawMqttClient.connect(broker.port(), "press", true, 60)) {
			assertThat(end(admin, "press")).isEqualTo(":1⏎");
			assertThat(client.awaitDisconnect()).isEqualTo(ADMINISTRATIVE_ACTION);
			assertThat(list(admin)).isEmpty();
			assertThat(end(admin, "press")).isEqualTo(":0⏎");
			try (RawMqttClient again = RawMqttClient.connect(broker.port(), "press", false, 60)) {
				assertThat(again.sessionPresent()).isFalse();
			}
		}
	}

	@Test
	void endsSessionPermanently() {
		try (StateStoreBroker broker = start(true); StoreClient admin = StoreClient.connect(broker.port(), "admin")) {
			RawMqttClient.connect(broker.port(), "oven", true, 60).close();
			RawMqttClient.connect(broker.port(), "press", true, 60).close();
			assertThat(end(admin, "oven")).isEqualTo(":1⏎");
		}
		try (StateStoreBroker broker = start(true); StoreClient admin = StoreClient.connect(broker.port(), "admin")) {
			assertThat(list(admin)).extracting(StoredSession::client).containsExactly("press");
		}
	}

	@Test
	void disconnectsClientWithUnstoredSession() {
		try (StateStoreBroker broker = start(false);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttClient client = RawMqttClient.connect(broker.port(), "press")) {
			assertThat(end(admin, "press")).isEqualTo(":1⏎");
			assertThat(client.awaitDisconnect()).isEqualTo(ADMINISTRATIVE_ACTION);
			assertThat(end(admin, "press")).isEqualTo(":0⏎");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void endingSessionPublishesWillOnce(boolean connected) throws IOException {
		try (StateStoreBroker broker = start(true);
				StoreClient admin = StoreClient.connect(broker.port(), "admin");
				RawMqttConnection client = new RawMqttConnection(broker.port())) {
			admin.mqtt().subscribe("wills");
			RawPublish will = RawPublish.of((message) -> {
				message.topic = "wills";
				message.payload = new byte[] { 1 };
				message.willDelay = 1_000L;
			});
			client.connect(RawConnect.of("press", PropertyType.SESSION_EXPIRY_INTERVAL.of(2_000)).will(will));
			if (!connected) {
				client.reset();
				await().until(() -> list(admin).stream().noneMatch(StoredSession::connected));
			}

			assertThat(end(admin, "press")).isEqualTo(":1⏎");

			admin.mqtt().take((message) -> message.topic.equals("wills"), "will");
			if (connected) {
				assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(ADMINISTRATIVE_ACTION);
			}
			admin.fence();
			assertThat(admin.mqtt().messages((message) -> message.topic.equals("wills"))).isEmpty();
		}
	}

	@Test
	void auditLogRecordsEndOfSession() {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				StateStoreBroker broker = start(false);
				StoreClient admin = StoreClient.connect(broker.port(), "auditor")) {
			end(admin, "press");
			assertThat(log.messages()).contains(
					"event=session-end principal=anonymous client=\"auditor\" address=127.0.0.1 session=\"press\"");
		}
	}

	@Test
	void refusesClientWithoutPermission() {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start();
				StoreClient client = StoreClient.connect(broker.port(), "curious");
				RawMqttClient other = RawMqttClient.connect(broker.port(), "press", true, 60)) {
			assertThat(Resp.text(exchange(client, Resp.command("SESSIONS")))).isEqualTo("-ERR not authorized⏎");
			assertThat(Resp.text(exchange(client, Resp.command("CLIENTS")))).isEqualTo("-ERR not authorized⏎");
			assertThat(end(client, "press")).isEqualTo("-ERR not authorized⏎");
			assertThat(other.subscribe("t")).isLessThan(0x80);
		}
	}

	private static List<StoredSession> list(StoreClient client) {
		List<StoredSession> sessions = new ArrayList<>();
		@Nullable String token = null;
		do {
			AdministrationPage<StoredSession> page = Administration.decodePage(StoredSession.class,
					Bytes.wrap(exchange(client, Administration.encode(new SessionQuery(token))).payload));
			sessions.addAll(page.items());
			token = page.token();
		}
		while (token != null);
		return sessions;
	}

	private static String end(StoreClient client, String clientId) {
		return Resp.text(exchange(client, Resp.command("ENDSESSION", clientId)));
	}

	private static RawPublish exchange(StoreClient client, byte[] payload) {
		RawPublish request = client.request(payload);
		request.topic = "statestore-administration/v1/request";
		return client.exchange(request);
	}

}
