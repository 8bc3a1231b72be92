package io.statestore.testing.broker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import io.statestore.testing.assertj.ChangeRecorder;
import io.statestore.testing.junit.StateStoreExtension;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/** Faults that a client of another language requests. */
class WireFaultsOfClientsTests {

	private static final String ID = "other";

	@RegisterExtension
	static final StateStoreExtension extension = StateStoreExtension.builder().wireFaults().build();

	private RawMqttClient client;

	@BeforeEach
	void connect() {
		this.client = RawMqttClient.connect(extension.broker().port(), ID);
		this.client.subscribe(Topics.response(ID));
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Test
	void refusesRequest() {
		send("press", "refuse=QUOTA_EXCEEDED");
		assertThat(reply(this.client)).isEqualTo("-ERR the quota has been exceeded\r\n");
		assertThat(extension.operations()).doesNotHaveKey("press");
	}

	@Test
	void delaysReplyOnly() {
		long start = System.nanoTime();
		send("press", "reply.delay=300ms");
		Awaitility.await().untilAsserted(() -> assertThat(extension.operations()).hasKey("press"));
		assertThat(reply(this.client)).isEqualTo("+OK\r\n");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
	}

	@Test
	void dropsNotificationOfItsKey() {
		ChangeRecorder<String> changes = new ChangeRecorder<>();
		try (var watch = extension.operations().watch("press", String.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			send("press", "notification.drop");
			assertThat(reply(this.client)).isEqualTo("+OK\r\n");
			send("press", null);
			assertThat(reply(this.client)).isEqualTo("+OK\r\n");
			assertThat(changes).receives("1").hasNoFurtherChanges();
		}
	}

	@Test
	void notificationFaultEndsWithItsRequest() {
		send("press", "notification.drop");
		assertThat(reply(this.client)).isEqualTo("+OK\r\n");
		ChangeRecorder<String> changes = new ChangeRecorder<>();
		try (var watch = extension.operations().watch("press", String.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			send("press", null);
			assertThat(changes).receives("1").hasNoFurtherChanges();
		}
	}

	@Test
	void restartsBrokerEmpty() {
		extension.operations().set("press", "1");
		send("other", "restart=empty");
		Awaitility.await().ignoreExceptions().until(() -> !extension.operations().exists("press"));
		RawMqttClient.connect(extension.broker().port(), ID).close();
	}

	@Test
	void namesAlternativesOfInvalidFault() {
		send("press", "explode");
		assertThat(reply(this.client)).startsWith("-ERR the user property statestore-test-fault")
			.contains("Use delay=500ms");
		assertThat(extension.operations()).doesNotHaveKey("press");
	}

	@Test
	void otherBrokersIgnoreProperty() {
		try (TestBroker broker = TestBroker.builder().start();
				RawMqttClient client = RawMqttClient.connect(broker.port(), ID)) {
			client.subscribe(Topics.response(ID));
			client.send(request("press", "refuse=QUOTA_EXCEEDED"));
			assertThat(reply(client)).isEqualTo("+OK\r\n");
		}
	}

	private void send(String key, @Nullable String fault) {
		this.client.send(request(key, fault));
	}

	private static String reply(RawMqttClient client) {
		return client.take((message) -> message.topic.equals(Topics.response(ID)), "a reply").text();
	}

	private static RawPublish request(String key, @Nullable String fault) {
		RawPublish request = RawPublish.of((publish) -> {
			publish.topic = Topics.REQUEST;
			publish.payload = Commands.encode(new Command.Set(Bytes.of(key), Bytes.of("1")));
			publish.responseTopic = Topics.response(ID);
			publish.correlationData = Long.toString(System.nanoTime()).getBytes(StandardCharsets.US_ASCII);
		}).with(UserProperties.TIMESTAMP, new Version(System.currentTimeMillis(), 0, ID).toPaddedString());
		return (fault != null) ? request.with("statestore-test-fault", fault) : request;
	}

}
