package io.statestore.broker.mqtt;

import java.io.IOException;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.session.SessionMemory;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of sessions that outlive their connections. */
class SessionMemoryTests extends ClientMemoryTest {

	@Test
	void refusesPersistentSessionsAboveLimit() throws Exception {
		int accepted = 0;
		int code = 0;
		while (code == 0) {
			assertThat(accepted).isLessThan(200);
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				RawControl connack = client.connect("m5-" + accepted++, LASTING);
				code = connack.reason();
				if (code == 0) {
					subscribe(client, filters("a/%d", 20));
				}
				else {
					client.assertClosed();
				}
			}
		}
		assertThat(code).isEqualTo(0x97);
		assertThat(this.budget.refused(MemoryUse.SESSION)).isPositive();
		long max = this.budget.maxLasting() * 3 / 4;
		await(() -> this.budget.used(MemoryUse.SESSION) > max - 10_000, "most of the memory of one user");
		assertThat(this.budget.used(MemoryUse.SESSION)).isLessThanOrEqualTo(max);
		code = 0;
		for (int i = 0; code == 0; i++) {
			assertThat(i).isLessThan(1_000);
			try (RawMqttConnection older = new RawMqttConnection(this.broker.port())) {
				code = older.connect(olderClient("m5-older-" + i, false)).reason();
			}
		}
		assertThat(code).isEqualTo(0x03);
		// The rest of the budget is for clients whose session ends with their connection.
		try (RawMqttConnection client = client("m5-clean")) {
			client.subscribed("answers", 1);
			client.send(request(client, "echo", "answers"));
			assertThat(client.receivePublish().text()).isEqualTo("echo");
		}
	}

	@Test
	void countsWillOfPersistentSession() throws Exception {
		RawPublish will = RawPublish.of((message) -> {
			message.topic = "wills/m17";
			message.payload = new byte[] { 1 };
			message.with("name", "x".repeat(20_000));
		});
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("m17", LASTING).will(will));
			await(() -> this.budget.used(MemoryUse.SESSION) > 20_000, "the memory of the will");
		}
	}

	@Test
	void countsContinuedSessionOnce() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m6", LASTING);
			subscribe(client, filters("a/%d", 5));
		}
		await(() -> this.budget.used(MemoryUse.SESSION) > 5 * SessionMemory.ofSubscription("a/0"),
				"the memory of the session");
		long held = this.budget.used(MemoryUse.SESSION);
		for (int i = 0; i < 5; i++) {
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				assertThat(client.connect(RawConnect.of("m6", LASTING).cleanStart(false)).sessionPresent()).isTrue();
				subscribe(client, filters("a/%d", 5));
			}
		}
		await(() -> this.budget.used(MemoryUse.SESSION) == held, "memory of repeated subscriptions");
		try (RawMqttConnection client = client("m6")) {
			client.ping();
			// The session that replaces a lasting session also counts until it ends.
			await(() -> this.budget.used(MemoryUse.SESSION) < 2 * SessionMemory.ofSubscription(""),
					"the end of the lasting session");
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isZero();
		}
		awaitReleased();
	}

	@Test
	void releasesExpiredSession() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m7", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
			client.subscribed("a", 1);
			await(() -> this.budget.used(MemoryUse.SESSION) > 0, "the memory of the session");
		}
		awaitReleased();
	}

	@Test
	void releasesSessionEndedByDisconnect() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m8", LASTING);
			client.subscribed("a", 1);
			client.send(RawControl.disconnect(0, PropertyType.SESSION_EXPIRY_INTERVAL.of(0)));
			client.assertClosed();
		}
		awaitReleased();
	}

	@Test
	void disconnectCannotMakeSessionPersistent() throws Exception {
		try (RawMqttConnection client = client("m9")) {
			client.subscribed("a", 1);
			client.send(RawControl.disconnect(0, LASTING));
			client.assertClosed();
		}
		awaitReleased();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("m9").cleanStart(false)).sessionPresent()).isFalse();
		}
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void releasesAllMemoryAfterManySessions() throws Exception {
		for (int i = 0; i < 250; i++) {
			RawProperty expiry = PropertyType.SESSION_EXPIRY_INTERVAL.of(i % 3);
			boolean breaks = i % 5 == 0;
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.connect(RawConnect.of("cycle-" + i % 7, expiry).cleanStart(i % 2 == 0));
				for (int j = 0; j < 10; j++) {
					client.send(client.subscribe("c/" + (i + j) % 8, 1));
					client.send(client.subscribe("$share/g/c/" + j % 3, 1));
					if (!breaks) {
						client.send(retained(client, "kept/" + j % 3, 0, (j % 2 == 0) ? "x".repeat(j) : ""));
					}
					if (j % 3 == 0) {
						client.send(client.unsubscribe("c/" + (i + j) % 8));
					}
				}
				if (!breaks) {
					awaitProcessed(client);
				}
				if (i % 4 == 0) {
					client.send(RawControl.disconnect(0));
				}
			}
		}
		try (RawMqttConnection client = client("cleaner")) {
			await(() -> this.budget.used(MemoryUse.SESSION) + this.budget.used(MemoryUse.SUBSCRIPTION) == 0,
					"the end of all sessions");
			for (int j = 0; j < 3; j++) {
				assertThat(retain(client, "kept/" + j, 1, "")).isZero();
			}
		}
		awaitReleased();
	}

	/** Waits until the broker has executed all earlier packets of a client. */
	private static void awaitProcessed(RawMqttConnection client) throws IOException {
		RawControl last = client.subscribe("last", 0);
		client.send(last);
		RawPacket received = client.receive();
		while (!(received instanceof RawControl control && control.type() == PacketType.SUBACK
				&& control.packetId() == last.packetId())) {
			received = client.receive();
		}
	}

}
