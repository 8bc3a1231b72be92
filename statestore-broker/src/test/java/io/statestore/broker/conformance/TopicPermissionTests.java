package io.statestore.broker.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Rules for topics on the wire. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock("audit log")
class TopicPermissionTests {

	private static final String RULES = """
			user ada read,write topic plant/#
			user bob read topic plant/+/state
			user bob write topic plant/bob/state
			users read,write topic own/{clientId}
			users read,write topic of/{username}/#
			everyone read,write topic open/{clientId}
			""";

	private static final String OWN = "/services/statestore/_any_/command/invoke/response";

	final TestAuthorizer authorizer = new TestAuthorizer(RULES);

	StateStoreBroker broker;

	@BeforeAll
	void start() {
		this.broker = broker().authorizer(this.authorizer).start();
	}

	private static StateStoreBrokerBuilder broker() {
		return StateStoreBroker.builder().authenticator(TestLogins.AUTHENTICATOR).anonymous(AnonymousAccess.LOOPBACK);
	}

	@AfterAll
	void stop() {
		this.broker.close();
	}

	@BeforeEach
	void restoreRules() {
		this.authorizer.change(RULES);
	}

	private RawMqttConnection connect(RawConnect connect) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(this.broker.port());
		assertThat(connection.connect(connect).reason()).isZero();
		return connection;
	}

	private RawMqttConnection connect(String clientId) throws IOException {
		return connect(TestLogins.connect(clientId));
	}

	@ParameterizedTest
	@CsvSource({ "ada.1, plant/x, true", "bob.1, plant/bob/state, true", "bob.1, plant/x, false",
			"carl.1, plant/x, false", "nobody, plant/x, false", "ada.1, own/ada.1, true", "ada.1, own/bob.1, false",
			"nobody, own/nobody, false", "nobody, open/nobody, true", "nobody, open/other, false",
			"carl.1, of/carl/x, true", "carl.1, of/ada/x, false", "nobody, of//x, false", "a/b.1, of/a/b/x, false",
			"*.1, of/ada/x, false" })
	void permitsOrDeniesPublish(String clientId, String topic, boolean permitted) throws Exception {
		try (RawMqttConnection client = connect(clientId)) {
			client.send(client.publish(topic, 0, "0"));
			client.send(client.publish(topic, 1, "1"));
			int reason = client.receiveReason(PacketType.PUBACK);
			assertThat(reason < 0x80).as("0x" + Integer.toHexString(reason)).isEqualTo(permitted);
			RawPublish exactlyOnce = client.publish(topic, 2, "2");
			client.send(exactlyOnce);
			reason = client.receiveReason(PacketType.PUBREC);
			assertThat(reason == 0x87).as("0x" + Integer.toHexString(reason)).isNotEqualTo(permitted);
			client.ping();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void deniedMessageHasNoEffect(int qos) throws Exception {
		try (RawMqttConnection ada = connect("ada.watch"); RawMqttConnection bob = connect("bob.1")) {
			ada.subscribed("plant/#", 1);
			RawPublish denied = bob.publish("plant/x", qos, "denied");
			denied.retain = true;
			bob.send(denied, bob.publish("plant/bob/state", 1, "permitted"));
			RawPublish received = ada.receivePublish();
			assertThat(received.text()).isEqualTo("permitted");
		}
	}

	@Test
	void deniedRepetitionFreesPacketIdForNewMessage() throws Exception {
		try (RawMqttConnection ada = connect("ada.watch"); RawMqttConnection bob = connect("bob.1")) {
			ada.subscribed("plant/#", 1);
			RawPublish publish = bob.publish("plant/bob/state", 2, "first");
			bob.send(publish);
			assertThat(bob.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(ada.receivePublish().text()).isEqualTo("first");
			this.authorizer.change("user ada read topic plant/#");
			publish.dup = true;
			bob.send(publish);
			assertThat(bob.receiveReason(PacketType.PUBREC)).isEqualTo(0x87);
			bob.ping();
			this.authorizer.change(RULES);
			RawPublish next = bob.publish("plant/bob/state", 2, "next");
			next.packetId = publish.packetId;
			bob.send(next);
			assertThat(bob.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(ada.receivePublish().text()).isEqualTo("next");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void endsConnectionBeforeMqtt5AfterDeniedMessage(int qos) throws Exception {
		try (RawMqttConnection bob = connect(TestLogins.connect("bob.3").version(RawPacket.MQTT_3_1_1))) {
			bob.send(bob.publish("plant/x", 0, "dropped"));
			bob.ping();
			bob.send(bob.publish("plant/x", qos, "denied"));
			bob.assertClosed();
		}
	}

	@ParameterizedTest
	@CsvSource({ "ada.1, plant/#, true", "ada.1, #, false", "bob.1, plant/+/state, true", "bob.1, plant/a/state, true",
			"bob.1, plant/#, false", "bob.1, plant/+/+, false", "bob.1, $share/g/plant/+/state, true",
			"bob.1, $share/g/plant/#, false", "carl.1, of/carl/#, true", "carl.1, of/#, false", "carl.1, of/+/x, false",
			"+.1, of/ada/x, false", "+.1, of/+/x, false", "#.1, of/#, false", "nobody, of//#, false",
			"nobody, open/nobody, true", "nobody, open/+, false", "carl.1, plant/a/state, false",
			"nobody, plant/a, false", "nobody, clients/nobody/services/statestore/_any_/command/invoke/response, true",
			"nobody, clients/nobody/#, true", "nobody, clients/6E6F626F6479/statestore/v1/x, true",
			"nobody, clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/6E6F626F6479/command/notify/+, true",
			"nobody, clients/other/services/statestore/_any_/command/invoke/response, false",
			"nobody, clients/+/services/statestore/_any_/command/invoke/response, false", "nobody, clients/#, false",
			"nobody, $share/g/clients/nobody/#, false" })
	void permitsOrDeniesSubscription(String clientId, String filter, boolean permitted) throws Exception {
		for (int version : new int[] { RawPacket.MQTT_5, RawPacket.MQTT_3_1_1 }) {
			try (RawMqttConnection client = connect(TestLogins.connect(clientId).version(version))) {
				client.send(client.subscribe(filter, 1));
				int refusal = (version == RawPacket.MQTT_5) ? 0x87 : 0x80;
				assertThat(client.receiveReason(PacketType.SUBACK)).isEqualTo(permitted ? 1 : refusal);
			}
		}
	}

	@Test
	void answersEachFilterInSubscribe() throws Exception {
		try (RawMqttConnection bob = connect("bob.1"); RawMqttConnection ada = connect("ada.1")) {
			bob.send(bob.subscribe(List.of("a", "plant/+/state", "b", "plant/x/state", "c")));
			RawControl suback = bob.receive(PacketType.SUBACK);
			assertThat(suback.reasons()).hasSize(5);
			assertThat(suback.reasons().get(0)).isEqualTo(0x87);
			assertThat(suback.reasons().get(1)).isLessThan(3);
			assertThat(suback.reasons().get(2)).isEqualTo(0x87);
			assertThat(suback.reasons().get(3)).isLessThan(3);
			assertThat(suback.reasons().get(4)).isEqualTo(0x87);
		}
	}

	@ParameterizedTest
	@CsvSource({ "plant/x, 0x87", "clients/other" + OWN + ", 0x87", "plant/bob/state, 0x00", "of/ada/x, 0x87",
			"of/bob/x, 0x00" })
	void permitsWill(String topic, String reason) throws Exception {
		try (RawMqttConnection bob = new RawMqttConnection(this.broker.port())) {
			RawControl connack = bob.connect(TestLogins.connect("bob.will").will(topic));
			assertThat(connack.reason()).isEqualTo(Integer.decode(reason));
		}
		try (RawMqttConnection bob = new RawMqttConnection(this.broker.port())) {
			RawControl connack = bob.connect(TestLogins.connect("bob.will").version(RawPacket.MQTT_3_1_1).will(topic));
			assertThat(connack.reason()).isEqualTo(reason.equals("0x00") ? 0 : 5);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "100, 0", "100, 1", "1, 100" })
	void doesNotPublishWillAfterPermissionIsLost(long sessionExpiry, long delay) throws Exception {
		RawPublish will = will("plant/bob/state", delay);
		try (RawMqttConnection ada = connect("ada.watch")) {
			ada.subscribed("plant/#", 1);
			connect(TestLogins.connect("bob.kept", PropertyType.SESSION_EXPIRY_INTERVAL.of(sessionExpiry)).will(will))
				.close();
			assertThat(ada.receivePublish().topic).isEqualTo("plant/bob/state");
		}
		try (RawMqttConnection ada = connect("ada.watch");
				RawMqttConnection bob = connect(
						TestLogins.connect("bob.lost", PropertyType.SESSION_EXPIRY_INTERVAL.of(sessionExpiry))
							.will(will))) {
			ada.subscribed("plant/#", 1);
			try (CapturedLog audit = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
				this.authorizer.change("user ada read,write topic plant/#");
				bob.close();
				await().until(() -> audit.messages()
					.stream()
					.anyMatch((line) -> line.startsWith("event=denied principal=\"bob\" client=\"bob.lost\"")
							&& line.contains("action=will")));
			}
			ada.send(ada.publish("plant/end", 0, "end"));
			assertThat(ada.receivePublish().topic).isEqualTo("plant/end");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void reconnectDoesNotPublishWillAfterPermissionIsLost(boolean closed) throws Exception {
		RawConnect lasting = TestLogins.connect("bob.back", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L));
		try (RawMqttConnection ada = connect("ada.watch");
				RawMqttConnection bob = connect(lasting.will(will("plant/bob/state", 0)))) {
			ada.subscribed("plant/#", 1);
			this.authorizer.change("user ada read,write topic plant/#");
			if (closed) {
				bob.close();
			}
			connect(TestLogins.connect("bob.back", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L)).cleanStart(false))
				.close();
			ada.send(ada.publish("plant/end", 0, "end"));
			assertThat(ada.receivePublish().topic).isEqualTo("plant/end");
		}
	}

	@Test
	void reconnectDeletesWillOfEarlierConnection() throws Exception {
		RawConnect lasting = TestLogins.connect("bob.again", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L));
		try (RawMqttConnection ada = connect("ada.watch")) {
			ada.subscribed("plant/#", 1);
			connect(lasting.will(will("plant/bob/state", 2))).close();
			connect(TestLogins.connect("bob.again", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L)).cleanStart(false))
				.close();
			connect(TestLogins.connect("ada.end", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L))
				.will(will("plant/end", 3))).close();
			assertThat(ada.receivePublish().topic).isEqualTo("plant/end");
		}
	}

	private static RawPublish will(String topic, long delay) {
		return RawPublish.of((will) -> {
			will.topic = topic;
			will.willDelay = delay;
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/other" + OWN, "clients/ada.1" + OWN, "clients/statestore/other/response",
			"clients/other/services/statestore-administration/response",
			"clients/other/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke/response",
			"clients/other/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke" })
	void refusesMessagesOnResponseTopics(String topic) throws Exception {
		this.authorizer.change("everyone write topic #");
		try (RawMqttConnection ada = connect("ada.1")) {
			ada.send(ada.publish(topic, 1, "forged"));
			assertThat(ada.receiveReason(PacketType.PUBACK)).isEqualTo(0x87);
			ada.send(ada.publish("clients/other/x", 1, "permitted"));
			assertThat(ada.receiveReason(PacketType.PUBACK)).isLessThan(0x80);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 5", "1, 5", "2, 5", "1, 4", "2, 4" })
	void subscriberStopsReceivingAfterChange(int qos, int version) throws Exception {
		verifySubscriberAfterChange(this.broker, this.authorizer, qos, version);
	}

	@ParameterizedTest
	@CsvSource({ "1, 5", "2, 5", "2, 4" })
	void subscriberWithDirectoryStopsReceivingAfterChange(int qos, int version, @TempDir Path directory)
			throws Exception {
		TestAuthorizer authorizer = new TestAuthorizer(RULES);
		try (StateStoreBroker broker = broker().storage(StorageOptions.in(directory)).authorizer(authorizer).start()) {
			verifySubscriberAfterChange(broker, authorizer, qos, version);
		}
	}

	/** Hundreds of denied messages must not take packet identifiers. */
	private static void verifySubscriberAfterChange(StateStoreBroker broker, TestAuthorizer authorizer, int qos,
			int version) throws IOException {
		try (RawMqttConnection ada = new RawMqttConnection(broker.port());
				RawMqttConnection bob = new RawMqttConnection(broker.port())) {
			ada.connect(TestLogins.connect("ada.source"));
			bob.connect(((version == 5) ? TestLogins.connect("bob.sink", PropertyType.RECEIVE_MAXIMUM.of(20L))
					: TestLogins.connect("bob.sink"))
				.version(version));
			bob.subscribed("plant/+/state", qos);
			publish(ada, "plant/a/state", qos, "first");
			assertReceived(bob, "first", qos);
			authorizer.change("user ada write topic #\nuser bob read topic plant/b/state");
			for (int i = 0; i < 300; i++) {
				publish(ada, "plant/a/state", qos, "denied");
			}
			for (int i = 0; i < 50; i++) {
				publish(ada, "plant/b/state", qos, "permitted");
				assertReceived(bob, "permitted", qos);
			}
			authorizer.change(RULES);
			publish(ada, "plant/a/state", qos, "again");
			assertReceived(bob, "again", qos);
		}
	}

	private static void publish(RawMqttConnection client, String topic, int qos, String payload) throws IOException {
		RawPublish publish = client.publish(topic, qos, payload);
		client.send(publish);
		if (qos == 1) {
			client.receive(PacketType.PUBACK);
		}
		else if (qos == 2) {
			client.receive(PacketType.PUBREC);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, publish.packetId));
			client.receive(PacketType.PUBCOMP);
		}
	}

	private static void assertReceived(RawMqttConnection client, String payload, int qos) throws IOException {
		RawPublish received = client.receivePublish();
		assertThat(received.text()).isEqualTo(payload);
		assertThat(received.qos).isEqualTo(qos);
		if (qos == 1) {
			client.acknowledge(received);
		}
		else if (qos == 2) {
			client.send(RawControl.acknowledgment(PacketType.PUBREC, received.packetId));
			client.receive(PacketType.PUBREL);
			client.send(RawControl.acknowledgment(PacketType.PUBCOMP, received.packetId));
		}
	}

	@Test
	void checksMessagesToSubscriberWithTopicAliases() throws Exception {
		try (RawMqttConnection ada = connect("ada.source");
				RawMqttConnection bob = connect(
						TestLogins.connect("bob.alias", PropertyType.TOPIC_ALIAS_MAXIMUM.of(10L)))) {
			bob.subscribed("plant/+/state", 1);
			for (int i = 0; i < 3; i++) {
				publish(ada, "plant/a/state", 1, "permitted");
				assertThat(bob.receivePublish().topic).isEqualTo("plant/a/state");
			}
			this.authorizer.change("""
					user ada write topic #
					user bob read topic plant/b/state
					user bob read topic +
					""");
			publish(ada, "plant/a/state", 1, "denied");
			publish(ada, "plant/b/state", 1, "permitted");
			assertThat(bob.receivePublish().topic).isEqualTo("plant/b/state");
		}
	}

	/** Every client chooses its id, which may be another client's id in hexadecimal. */
	@ParameterizedTest
	@CsvSource({ "fleet, clients/fleet/press-9/recipe", "616461, clients/616461/services/other/response",
			"fleet, clients/fleet/replies" })
	void ordinaryMessagesBelowOwnTopicsNeedRule(String clientId, String topic) throws Exception {
		this.authorizer.change("user ada write topic #");
		try (RawMqttConnection ada = connect("ada.source"); RawMqttConnection client = connect(clientId)) {
			long denials = this.broker.statistics().security().deniedTopics();
			client.subscribed("clients/" + clientId + "/#", 1);
			RawPublish denied = ada.publish(topic, 1, "denied");
			denied.retain = true;
			ada.send(denied);
			assertThat(ada.receiveReason(PacketType.PUBACK)).isLessThan(0x80);
			client.subscribed("clients/" + clientId + "/+/#", 1);
			await().until(() -> this.broker.statistics().security().deniedTopics() >= denials + 2);
			this.authorizer.change("user ada write topic #\neveryone read topic clients/{clientId}/#");
			publish(ada, topic, 1, "permitted");
			assertThat(client.receivePublish().text()).isEqualTo("permitted");
		}
		finally {
			this.authorizer.change("user ada write topic #");
			clearRetained(topic);
		}
	}

	@Test
	void resumedSessionAndRetainedMessagesAreChecked() throws Exception {
		RawConnect lasting = TestLogins.connect("bob.lasting", PropertyType.SESSION_EXPIRY_INTERVAL.of(100L));
		try (RawMqttConnection ada = connect("ada.1")) {
			RawMqttConnection bob = connect(lasting);
			bob.subscribed("plant/+/state", 1);
			bob.close();
			RawPublish retained = ada.publish("plant/r/state", 1, "retained");
			retained.retain = true;
			ada.send(retained, ada.publish("plant/q/state", 1, "queued"), ada.publish("plant/b/state", 1, "permitted"));
			for (int i = 0; i < 3; i++) {
				assertThat(ada.receiveReason(PacketType.PUBACK)).isLessThan(0x80);
			}
			this.authorizer.change("user bob read topic plant/b/state\nuser ada write topic #");
			try (RawMqttConnection resumed = connect(lasting.cleanStart(false))) {
				assertThat(resumed.receivePublish().text()).isEqualTo("permitted");
				resumed.ping();
			}
			this.authorizer.change(RULES);
			try (RawMqttConnection again = connect("bob.new")) {
				again.send(again.subscribe("plant/r/state", 1));
				RawPacket received = again.receive();
				// The SUBACK may precede the message.
				assertThat((received instanceof RawPublish) ? received : again.receive()).isInstanceOfSatisfying(
						RawPublish.class, (publish) -> assertThat(publish.text()).isEqualTo("retained"));
			}
		}
		finally {
			this.authorizer.change(RULES);
			clearRetained("plant/r/state");
		}
	}

	private void clearRetained(String topic) throws IOException {
		try (RawMqttConnection ada = connect("ada.clear")) {
			RawPublish empty = ada.publish(topic, 1, "");
			empty.retain = true;
			ada.send(empty);
			ada.receive(PacketType.PUBACK);
		}
	}

}
