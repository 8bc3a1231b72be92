package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.List;

import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.RawClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of retained messages and topics. */
class TopicMemoryTests extends ClientMemoryTest {

	@Test
	void refusesRetainedMessagesAboveLimit() throws Exception {
		try (RawClient client = client("m10")) {
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
			try (RawClient subscriber = client("m10-subscriber")) {
				subscriber.send(subscriber.subscribe("other", 1));
				assertThat(List.of(subscriber.receive(), subscriber.receive()))
					.anyMatch(MqttPublishMessage.class::isInstance);
			}
		}
	}

	@Test
	void retainedMessagesLeaveMemoryForOtherClients() throws Exception {
		for (int i = 0; i < 8; i++) {
			try (RawClient client = client("m11-" + i)) {
				for (int j = 0; j < 10; j++) {
					client.send(retained(client, "r/" + i + '/' + j, 0, "x".repeat(500)));
				}
				client.ping();
			}
		}
		assertThat(this.budget.used(MemoryUse.RETAINED)).isBetween(BUDGET / 4, BUDGET / 2);
		try (RawClient client = client("m11")) {
			client.subscribed("a", 1);
			assertThat(retain(client, "a", 1, "x")).isEqualTo(QUOTA_EXCEEDED);
		}
	}

	@Test
	void acceptsClientsWhileRetainedMessagesExceedLimit() throws Exception {
		try (RawClient session = new RawClient(this.broker.port());
				RawClient sessionAgain = new RawClient(this.broker.port());
				RawClient will = connectWithWill("m16-will", "wills/m16");
				ClientShare retained = this.budget.open()) {
			session.connect("m16", LASTING);
			will.ping();
			retained.reserve(MemoryUse.RETAINED, BUDGET / 2);
			try (RawClient clean = client("m16-clean");
					RawClient willAgain = connectWithWill("m16-will", "wills/m16")) {
				clean.subscribed("a", 1);
				assertThat(sessionAgain.connect("m16", LASTING).variableHeader().connectReturnCode())
					.isEqualTo(MqttConnectReturnCode.CONNECTION_ACCEPTED);
				willAgain.ping();
			}
		}
	}

	@Test
	void countsSizeOfRetainedMessage() throws Exception {
		try (RawClient client = client("m12")) {
			assertThat(retain(client, "r", 1, "x".repeat(90_000))).isZero();
			long held = this.budget.used(MemoryUse.RETAINED);
			assertThat(held).isBetween(90_000L, 90_000 + 2 * RetainedMessages.cost(""));
			assertThat(retain(client, "r", 1, "x".repeat(80_000))).isZero();
			assertThat(this.budget.used(MemoryUse.RETAINED)).isEqualTo(held - 10_000);
		}
	}

	@Test
	void releasesClearedRetainedMessage() throws Exception {
		try (RawClient client = client("m13")) {
			assertThat(retain(client, "r", 1, "x")).isZero();
			assertThat(retain(client, "r", 1, "")).isZero();
			assertThat(retain(client, "never/set", 1, "")).isZero();
		}
		awaitReleased();
	}

	@Test
	void countsRetainedWill() throws Exception {
		try (RawClient watcher = client("m14-watcher"); RawClient client = connectWithWill("m14", "wills/m14")) {
			assertThat(this.budget.used(MemoryUse.RETAINED)).isPositive();
			watcher.subscribed("wills/+", 1);
			client.close();
			assertThat(watcher.receivePublish().variableHeader().topicName()).isEqualTo("wills/m14");
		}
		await(() -> this.budget.used() == this.budget.used(MemoryUse.RETAINED) + this.budget.used(MemoryUse.TOPIC),
				"the end of all sessions");
		assertThat(this.budget.used(MemoryUse.RETAINED)).isPositive();
		try (RawClient client = client("m14-cleaner")) {
			assertThat(retain(client, "wills/m14", 1, "")).isZero();
		}
		awaitReleased();
	}

	@Test
	void releasesUnusedTopics() throws Exception {
		try (RawClient client = client("m15")) {
			int published = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t/" + published++ + "/" + "x".repeat(5_000), 1, "x"));
				reason = client.receiveReason(MqttMessageType.PUBACK);
				assertThat(published).isLessThan(50);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			await(() -> this.budget.used(MemoryUse.TOPIC) == 0, "removal of the topics");
			client.send(client.publish("t/again", 1, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
		}
		awaitReleased();
	}

	private RawClient connectWithWill(String clientId, String topic) throws IOException {
		RawClient client = new RawClient(this.broker.port());
		client.connect(RawClient.connectBuilder(clientId)
			.willFlag(true)
			.willRetain(true)
			.willTopic(topic)
			.willMessage(new byte[] { 1 })
			.willQoS(MqttQoS.AT_LEAST_ONCE)
			.build());
		return client;
	}

}
