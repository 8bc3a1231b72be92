package io.statestore.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a cluster's MQTT sessions survive the loss of nodes. */
class ClusterSessionsTests {

	private static final int RETAINED_ONLY = 0;

	@TempDir
	Path directory;

	private BrokerCluster cluster;

	@BeforeEach
	void start() throws IOException {
		this.cluster = new BrokerCluster(this.directory, UnaryOperator.identity());
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void nextLeaderContinuesSession() throws Exception {
		String leader = this.cluster.leader();
		try (RawMqttConnection subscriber = connect(leader, "subscriber", false)) {
			subscriber.subscribed("line/+", 2);
		}
		try (RawMqttConnection publisher = connect(leader, "publisher", false)) {
			for (int i = 0; i < 10; i++) {
				publish(publisher, publisher.publish("line/" + i % 2, 1, "message " + i));
			}
		}
		this.cluster.stop(leader);
		try (RawMqttConnection subscriber = connect(this.cluster.follower(), "subscriber", true)) {
			for (int i = 0; i < 10; i++) {
				RawPublish message = subscriber.receivePublish();
				assertThat(message.text()).isEqualTo("message " + i);
				assertThat(message.topic).isEqualTo("line/" + i % 2);
				subscriber.acknowledge(message);
			}
		}
	}

	@Test
	void everyLeaderHasRetainedMessages() throws Exception {
		try (RawMqttConnection publisher = connect(this.cluster.leader(), "publisher", false)) {
			for (int qos = 0; qos < 2; qos++) {
				RawPublish message = publisher.publish("retained/" + qos, qos, "value " + qos);
				message.retain = true;
				publish(publisher, message);
			}
			publish(publisher, publisher.publish("other", 1, "follows the first"));
		}
		for (String name : List.of("a", "b", "c")) {
			lead(name);
			// A node that has just begun to lead may still close connections.
			try (RawMqttConnection reader = connect(name, RawConnect.of("reader"), false)) {
				reader.subscribed("retained/#", RETAINED_ONLY);
				assertThat(List.of(reader.receivePublish().text(), reader.receivePublish().text()))
					.containsExactlyInAnyOrder("value 0", "value 1");
			}
		}
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void willIsPublishedUnlessClientReturnsToNextLeader() throws Exception {
		String leader = this.cluster.leader();
		try (RawMqttConnection watcher = connect(leader, "watcher", false)) {
			watcher.subscribed("wills", 1);
		}
		RawMqttConnection returning = willing(leader, "returning");
		RawMqttConnection absent = willing(leader, "absent");
		this.cluster.stop(leader);
		returning.close();
		absent.close();
		String next = this.cluster.leader();
		try (RawMqttConnection watcher = connect(next, "watcher", true)) {
			connect(next, "returning", true).close();
			RawPublish will = (RawPublish) watcher.read(Duration.ofSeconds(60));
			assertThat(will.text()).isEqualTo("absent");
		}
	}

	private RawMqttConnection willing(String node, String clientId) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(this.cluster.broker(node).port());
		connection.connect(
				RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).will(RawPublish.of((will) -> {
					will.topic = "wills";
					will.qos = 1;
					will.payload = clientId.getBytes(StandardCharsets.UTF_8);
				})));
		return connection;
	}

	@Test
	void losingFollowerEndsOnlyConnection() throws Exception {
		String follower = this.cluster.follower();
		try (RawMqttConnection subscriber = connect(follower, "subscriber", false)) {
			subscriber.subscribed("line", 1);
			this.cluster.stop(follower);
			subscriber.readToEnd();
		}
		try (RawMqttConnection publisher = connect(this.cluster.leader(), "publisher", false);
				RawMqttConnection subscriber = connect(this.cluster.follower(), "subscriber", true)) {
			publish(publisher, publisher.publish("line", 1, "after the loss"));
			assertThat(subscriber.receivePublish().text()).isEqualTo("after the loss");
		}
		this.cluster.start(follower, InitialState.EXISTING);
		this.cluster.awaitReady();
	}

	private void lead(String name) {
		String leader = this.cluster.leader();
		if (!leader.equals(name)) {
			this.cluster.broker(leader).transferLeadership(name);
			BrokerCluster.await().until(() -> this.cluster.leader().equals(name));
		}
	}

	/** Connects a client whose session outlives the connection. */
	private RawMqttConnection connect(String node, String clientId, boolean present) {
		return connect(node, RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(false),
				present);
	}

	private RawMqttConnection connect(String node, RawConnect connect, boolean present) {
		StateStoreBroker broker = this.cluster.broker(node);
		return BrokerCluster.await().until(() -> tryConnect(broker.port(), connect, present), Objects::nonNull);
	}

	/** Connects, or returns {@code null} while the node does not know a leader. */
	private static @Nullable RawMqttConnection tryConnect(int port, RawConnect connect, boolean present)
			throws IOException {
		RawMqttConnection connection = new RawMqttConnection(port);
		try {
			connection.send(connect);
			RawControl connack = (RawControl) connection.read();
			assertThat(connack.sessionPresent()).isEqualTo(present);
			return connection;
		}
		catch (IOException ex) {
			connection.close();
			return null;
		}
	}

	private static void publish(RawMqttConnection connection, RawPublish message) throws IOException {
		connection.send(message);
		if (message.qos > 0) {
			assertThat(connection.receive(PacketType.PUBACK).packetId()).isEqualTo(message.packetId);
		}
	}

}
