package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.List;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of retained messages and topics. */
class TopicMemoryTests extends ClientMemoryTest {

	@Test
	void refusesRetainedMessagesAboveLimit() throws Exception {
		try (RawMqttConnection client = client("m10")) {
			int kept = 0;
			while (retain(client, "r/" + kept, 1, "x") == 0) {
				kept++;
				assertThat(kept).isLessThan(30);
			}
			assertThat(kept).isGreaterThan(5);
			assertThat(retain(client, "other", 1, "x")).isEqualTo(QUOTA_EXCEEDED);
			assertThat(retain(client, "other", 2, "x")).isEqualTo(QUOTA_EXCEEDED);
			long refused = this.budget.refused(MemoryUse.RETAINED);
			client.send(retained(client, "other", 0, "x"));
			client.ping();
			assertThat(this.budget.refused(MemoryUse.RETAINED)).isEqualTo(refused + 1);
			assertThat(retain(client, "r/0", 1, "y")).isZero();
			assertThat(retain(client, "r/0", 1, "")).isZero();
			await(() -> retain(client, "other", 1, "x") == 0, "memory of the cleared message");
			try (RawMqttConnection subscriber = client("m10-subscriber")) {
				subscriber.send(subscriber.subscribe("other", 1));
				assertThat(List.of(subscriber.receive(), subscriber.receive())).anyMatch(RawPublish.class::isInstance);
			}
		}
	}

	@Test
	void retainedMessagesLeaveMemoryForOtherClients() throws Exception {
		for (int i = 0; i < 8; i++) {
			try (RawMqttConnection client = client("m11-" + i)) {
				for (int j = 0; j < 10; j++) {
					client.send(retained(client, "r/" + i + '/' + j, 0, "x".repeat(500)));
				}
				client.ping();
			}
		}
		assertThat(this.budget.used(MemoryUse.RETAINED)).isBetween(BUDGET / 4, BUDGET / 2);
		try (RawMqttConnection client = client("m11")) {
			client.subscribed("a", 1);
			assertThat(retain(client, "a", 1, "x")).isEqualTo(QUOTA_EXCEEDED);
		}
	}

	@Test
	void acceptsClientsWhileRetainedMessagesExceedLimit() throws Exception {
		try (RawMqttConnection session = new RawMqttConnection(this.broker.port());
				RawMqttConnection sessionAgain = new RawMqttConnection(this.broker.port());
				RawMqttConnection will = connectWithWill("m16-will", "wills/m16");
				ClientShare retained = this.budget.open()) {
			session.connect("m16", LASTING);
			will.ping();
			retained.reserve(MemoryUse.RETAINED, BUDGET / 2);
			try (RawMqttConnection clean = client("m16-clean");
					RawMqttConnection willAgain = connectWithWill("m16-will", "wills/m16")) {
				clean.subscribed("a", 1);
				assertThat(sessionAgain.connect("m16", LASTING).reason()).isEqualTo(0);
				willAgain.ping();
			}
		}
	}

	@Test
	void countsSizeOfRetainedMessage() throws Exception {
		try (RawMqttConnection client = client("m12")) {
			assertThat(retain(client, "r", 1, "x".repeat(90_000))).isZero();
			long held = this.budget.used(MemoryUse.RETAINED);
			assertThat(held).isBetween(90_000L, 90_000 + 2 * RetainedMessages.cost(""));
			assertThat(retain(client, "r", 1, "x".repeat(80_000))).isZero();
			assertThat(this.budget.used(MemoryUse.RETAINED)).isEqualTo(held - 10_000);
		}
	}

	@Test
	void releasesClearedRetainedMessage() throws Exception {
		try (RawMqttConnection client = client("m13")) {
			assertThat(retain(client, "r", 1, "x")).isZero();
			assertThat(retain(client, "r", 1, "")).isZero();
			assertThat(retain(client, "never/set", 1, "")).isZero();
		}
		awaitReleased();
	}

	@Test
	void countsRetainedWill() throws Exception {
		try (RawMqttConnection watcher = client("m14-watcher");
				RawMqttConnection client = connectWithWill("m14", "wills/m14")) {
			assertThat(this.budget.used(MemoryUse.RETAINED)).isPositive();
			watcher.subscribed("wills/+", 1);
			client.close();
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/m14");
		}
		await(() -> this.budget.used() == this.budget.used(MemoryUse.RETAINED) + this.budget.used(MemoryUse.TOPIC),
				"the end of all sessions");
		assertThat(this.budget.used(MemoryUse.RETAINED)).isPositive();
		try (RawMqttConnection client = client("m14-cleaner")) {
			assertThat(retain(client, "wills/m14", 1, "")).isZero();
		}
		awaitReleased();
	}

	@Tag("long")
	@Test
	void releasesUnusedTopics() throws Exception {
		try (RawMqttConnection client = client("m15")) {
			int published = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t/" + published++ + "/" + "x".repeat(5_000), 1, "x"));
				reason = client.receiveReason(PacketType.PUBACK);
				assertThat(published).isLessThan(50);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			await(() -> this.budget.used(MemoryUse.TOPIC) == 0, "removal of the topics");
			client.send(client.publish("t/again", 1, "x"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
		}
		awaitReleased();
	}

	private RawMqttConnection connectWithWill(String clientId, String topic) throws IOException {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		client.connect(RawConnect.of(clientId).will(RawPublish.of((will) -> {
			will.topic = topic;
			will.payload = new byte[] { 1 };
			will.retain = true;
		})));
		return client;
	}

}
