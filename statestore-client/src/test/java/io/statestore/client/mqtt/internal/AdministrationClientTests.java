package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.SessionEnd;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredLock;
import io.statestore.protocol.StoredSession;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

@Timeout(60)
class AdministrationClientTests {

	private static final LockQuery ALL = new LockQuery(Bytes.of("*"), false, null);

	@Test
	void returnsAnswerOrRefusalOfBroker() {
		try (StateStoreBroker open = StateStoreBroker.builder().start();
				StateStoreBroker closed = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start()) {
			try (MqttConnection connection = connect(open.port())) {
				assertThat(request(connection, Duration.ofSeconds(30)).join().items()).isEmpty();
			}
			try (MqttConnection connection = connect(closed.port())) {
				assertThat(failure(request(connection, Duration.ofSeconds(30))))
					.isInstanceOfSatisfying(StateStoreRefusedException.class,
							(ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.NOT_AUTHORIZED))
					.hasMessageContaining("--administration");
			}
		}
	}

	@Test
	void listsAndEndsSessions() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				MqttConnection connection = connect(broker.port());
				RawMqttClient client = RawMqttClient.connect(broker.port(), "press", true, 60)) {
			AdministrationClient administration = new AdministrationClient(connection);
			Duration timeout = Duration.ofSeconds(30);
			AdministrationPage<StoredSession> page = administration.sessions(new SessionQuery(null), timeout).join();
			assertThat(page.items()).extracting(StoredSession::client).contains("press");
			assertThat(administration.endSession(new SessionEnd("press"), timeout).join()).isTrue();
			assertThat(client.awaitDisconnect()).isEqualTo(0x98);
			assertThat(administration.endSession(new SessionEnd("press"), timeout).join()).isFalse();
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void reportsServerThatDoesNotAnswer() {
		try (Mosquitto mosquitto = Mosquitto.start();
				MqttConnection connection = connect(mosquitto.port());
				RawMqttClient silent = RawMqttClient.connect(mosquitto.port(), "silent")) {
			assertThat(failure(request(connection, Duration.ofSeconds(30))))
				.isInstanceOf(AdministrationUnavailableException.class)
				.hasMessageContaining("no matching subscribers");
			silent.subscribe(Administration.REQUEST_TOPIC);
			assertThat(failure(request(connection, Duration.ofMillis(200))))
				.isInstanceOf(AdministrationUnavailableException.class)
				.hasMessageContaining("within 200 ms");
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void reportsMalformedAnswer() {
		assertThat(failureOf("*1\r\n*1\r\n$1\r\nx\r\n")).isExactlyInstanceOf(StateStoreException.class);
	}

	@Test
	@RequiresProgram("mosquitto")
	void reportsServerThatDoesNotKnowRequest() {
		assertThat(failureOf("-ERR unknown command\r\n"))
			.isInstanceOfSatisfying(StateStoreRefusedException.class,
					(ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.UNKNOWN_COMMAND))
			.hasMessageContaining("does not support the request");
	}

	/** Returns the failure of a request with an answer. */
	private static Throwable failureOf(String payload) {
		try (Mosquitto mosquitto = Mosquitto.start();
				MqttConnection connection = connect(mosquitto.port());
				RawMqttClient server = RawMqttClient.connect(mosquitto.port(), "server")) {
			server.subscribe(Administration.REQUEST_TOPIC);
			CompletableFuture<AdministrationPage<StoredLock>> answer = request(connection, Duration.ofSeconds(30));
			RawPublish request = server.take((message) -> message.topic.equals(Administration.REQUEST_TOPIC),
					"request");
			server.send(RawPublish.of((reply) -> {
				reply.topic = Objects.requireNonNull(request.responseTopic);
				reply.correlationData = request.correlationData;
				reply.payload = Bytes.of(payload).toArray();
			}));
			return failure(answer);
		}
	}

	private static MqttConnection connect(int port) {
		MqttConnection connection = new MqttConnection(
				ConnectionOptions.builder().host("127.0.0.1").port(port).build());
		connection.start();
		return connection;
	}

	private static CompletableFuture<AdministrationPage<StoredLock>> request(MqttConnection connection,
			Duration timeout) {
		return new AdministrationClient(connection).locks(ALL, timeout);
	}

	private static Throwable failure(CompletableFuture<AdministrationPage<StoredLock>> answer) {
		Throwable failure = catchThrowable(answer::join);
		assertThat(failure).isInstanceOf(CompletionException.class);
		return Objects.requireNonNull(failure.getCause());
	}

}
