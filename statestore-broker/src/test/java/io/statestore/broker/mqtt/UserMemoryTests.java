package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.List;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of sessions and retained messages of several users. */
class UserMemoryTests extends ClientMemoryTest {

	/** Payload of which a user may retain at most fourteen. */
	private static final String LARGE = "x".repeat(50_000);

	@Override
	protected MqttBrokerSettings settings() {
		return super.settings().withSecurity(new MqttSecurity(List.of(new Account("ada", "p"), new Account("bob", "p")),
				AnonymousAccess.ALL, MqttSecurity.NONE.authorizer()));
	}

	private RawConnect connect(String user, String clientId, RawProperty... properties) {
		return RawConnect.of(clientId, properties).login(user, "p");
	}

	private RawMqttConnection connected(RawConnect connect) throws IOException {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(client.connect(connect).reason()).isZero();
		return client;
	}

	/** Leaves a session with twenty subscriptions, unless it is refused. */
	private boolean leaveSession(String user, String clientId) throws IOException {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			boolean accepted = client.connect(connect(user, clientId, LASTING)).reason() == 0;
			if (accepted) {
				subscribe(client, filters("many/%02d", 20));
				client.send(RawControl.disconnect(0));
			}
			client.assertClosed();
			return accepted;
		}
	}

	/** Leaves sessions until one is refused and returns how many were accepted. */
	private int hoardSessions(String user) throws IOException {
		int accepted = 0;
		while (leaveSession(user, user + '-' + accepted)) {
			assertThat(++accepted).isLessThan(200);
		}
		return accepted;
	}

	private boolean isPresent(String user, String clientId) throws IOException {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = client.connect(connect(user, clientId, LASTING).cleanStart(false));
			return connack.reason() == 0 && connack.sessionPresent();
		}
	}

	@Test
	void hoardedSessionsDoNotAffectAnotherUser() throws Exception {
		try (RawMqttConnection bob = connected(connect("bob", "b", LASTING))) {
			bob.subscribed("t", 1);
		}
		try (RawMqttConnection publisher = client("publisher")) {
			publisher.send(publisher.publish("t", 1, "queued"));
			assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(hoardSessions("ada")).isBetween(30, 60);
			publisher.send(publisher.publish("t", 1, "later"));
			assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
		}
		try (RawMqttConnection bob = new RawMqttConnection(this.broker.port())) {
			assertThat(bob.connect(connect("bob", "b", LASTING).cleanStart(false)).sessionPresent()).isTrue();
			assertThat(bob.receivePublish().text()).isEqualTo("queued");
			assertThat(bob.receivePublish().text()).isEqualTo("later");
		}
	}

	@Test
	void heaviestUserLosesLongestDetachedSession() throws Exception {
		try (RawMqttConnection connected = connected(connect("ada", "ada-connected", LASTING))) {
			connected.subscribed("t", 1);
			int hoarded = hoardSessions("ada");
			for (int i = 0; i < 20; i++) {
				assertThat(leaveSession("bob", "bob-" + i)).isTrue();
			}
			connected.send(connected.publish("t", 0, "x"));
			assertThat(connected.receivePublish().text()).isEqualTo("x");
			assertThat(isPresent("ada", "ada-" + (hoarded - 1))).isTrue();
			assertThat(isPresent("bob", "bob-0")).isTrue();
			assertThat(isPresent("ada", "ada-0")).isFalse();
			await(() -> this.budget.used(MemoryUse.SESSION) > BUDGET * 2 / 5, "most of the memory");
			assertThat(this.budget.used(MemoryUse.SESSION)).isLessThanOrEqualTo(this.budget.maxLasting());
		}
	}

	@Test
	void retainedMessagesDoNotAffectAnotherUser() throws Exception {
		try (RawMqttConnection ada = connected(connect("ada", "a"));
				RawMqttConnection bob = connected(connect("bob", "b"))) {
			assertThat(retain(bob, "bob/first", 1, LARGE)).isZero();
			int kept = 0;
			while (retain(ada, "ada/" + kept, 1, LARGE) == 0) {
				assertThat(++kept).isLessThan(30);
			}
			assertThat(kept).isEqualTo(14);
			for (int i = 0; i < 8; i++) {
				assertThat(retain(bob, "bob/" + i, 1, LARGE)).isZero();
			}
			assertThat(isRetained("bob/first")).isTrue();
			assertThat(isRetained("bob/7")).isTrue();
			assertThat(isRetained("ada/13")).isTrue();
			assertThat(isRetained("ada/0")).as("oldest message of the user who holds the most").isFalse();
			await(() -> this.budget.used(MemoryUse.RETAINED) > BUDGET * 2 / 5, "most of the memory");
			assertThat(this.budget.used(MemoryUse.RETAINED)).isLessThanOrEqualTo(this.budget.maxLasting());
		}
	}

	private boolean isRetained(String topic) throws Exception {
		try (RawMqttConnection client = client("reader")) {
			client.send(client.subscribe(topic, 0));
			client.receive(PacketType.SUBACK);
			client.send(client.publish(topic, 0, "end"));
			return client.receivePublish().retain;
		}
	}

	@Test
	void heaviestUserLosesMessagesQueuedForConnectedSessions() throws Exception {
		int count = 2_000;
		try (RawMqttConnection ada = connected(connect("ada", "a", LASTING));
				RawMqttConnection adaToo = connected(connect("ada", "a2", LASTING));
				RawMqttConnection publisher = client("publisher");
				RawMqttConnection bob = connected(connect("bob", "b"))) {
			ada.subscribed("t", 1);
			adaToo.subscribed("t", 1);
			for (int i = 0; i < count; i++) {
				publisher.send(publisher.publish("t", 1, String.format("%04d", i)));
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			}
			await(() -> this.budget.used(MemoryUse.SESSION) > 600_000, "the memory of queued messages");
			for (int i = 0; i < 8; i++) {
				assertThat(retain(bob, "bob/" + i, 1, LARGE)).isZero();
			}
			// Neither client has acknowledged a message yet.
			int received = acknowledgeAll(ada) + acknowledgeAll(adaToo);
			assertThat(received).isBetween(2 * 1_024, 2 * count - 500);
		}
	}

	/** Acknowledges messages until none is left and returns how many there were. */
	private int acknowledgeAll(RawMqttConnection client) throws IOException {
		client.send(client.unsubscribe("t"));
		client.send(client.subscribe("end", 1));
		client.send(client.publish("end", 1, "end"));
		int count = 0;
		while (true) {
			RawPacket packet = client.receive();
			if (packet instanceof RawPublish publish) {
				client.acknowledge(publish);
				if (publish.topic.equals("end")) {
					return count;
				}
				assertThat(publish.text()).isEqualTo(String.format("%04d", count++));
			}
		}
	}

	@Test
	void reconnectsToSessionsWhileMemoryIsExhausted() throws Exception {
		try (RawMqttConnection ada = connected(connect("ada", "a", LASTING))) {
			ada.subscribed("t", 1);
		}
		hoardSessions("ada");
		try (RawMqttConnection ada = connected(connect("ada", "a", LASTING).cleanStart(false))) {
			for (int length = LARGE.length(); length > 0; length /= 2) {
				retain(ada, "half/" + length, 1, "x".repeat(length));
			}
		}
		RawPublish will = RawPublish.of((message) -> {
			message.topic = "wills/a";
			message.payload = new byte[2_000];
		});
		try (RawMqttConnection ada = new RawMqttConnection(this.broker.port())) {
			// Works whether or not there is room for a will.
			ada.connect(connect("ada", "a", LASTING).cleanStart(false).will(will));
			assertThat(isPresent("ada", "ada-0")).isTrue();
		}
		assertThat(isPresent("ada", "a")).isTrue();
	}

}
