package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.RawClient;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The memory of subscriptions, sessions, retained messages, and topics. */
class SessionMemoryTests extends MqttBrokerTest {

	private static final int QUOTA_EXCEEDED = 0x97;

	private static final long BUDGET = 2_000_000;

	private static final long PER_CLIENT = 400_000;

	private static final IntegerProperty LASTING = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);

	SessionMemoryTests() {
		this.budget = new MemoryBudget(BUDGET, PER_CLIENT);
	}

	@Test
	void refusesSubscriptionsBeyondLimit() throws Exception {
		try (RawClient client = client("m1")) {
			List<Integer> reasons = subscribe(client, filters("a/%d", 100));
			int granted = (int) reasons.stream().filter((reason) -> reason == 1).count();
			assertThat(granted).isBetween(10, 30);
			assertThat(reasons.subList(0, granted)).containsOnly(1);
			assertThat(reasons.subList(granted, 100)).containsOnly(QUOTA_EXCEEDED);
			assertThat(this.budget.refused(MemoryUse.SUBSCRIPTION)).isEqualTo(100 - granted);
			client.send(client.publish("a/0", 0, "granted"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("granted");
			client.send(client.publish("a/99", 0, "refused"));
			client.ping();
			assertThat(subscribe(client, List.of("b", "c"))).containsOnly(QUOTA_EXCEEDED);
			client.unsubscribed("a/0");
			assertThat(subscribe(client, List.of("b", "c"))).containsExactly(1, QUOTA_EXCEEDED);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/%d", "a/%d/#", "+/%d", "$share/group/a/%d", "$SYS/%d" })
	void limitsEveryKindOfFilter(String pattern) throws Exception {
		try (RawClient client = client("m2")) {
			assertThat(subscribe(client, filters(pattern, 30))).contains(1, QUOTA_EXCEEDED);
		}
	}

	@Test
	void repeatedSubscriptionIsCountedOnce() throws Exception {
		try (RawClient client = client("m3")) {
			client.subscribed("a", 1);
			long held = this.budget.used(MemoryUse.SUBSCRIPTION);
			assertThat(held).isPositive();
			for (int i = 0; i < 50; i++) {
				client.subscribed("a", i % 3);
			}
			assertThat(subscribe(client, List.of("a", "a"))).containsExactly(1, 1);
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isEqualTo(held);
			client.unsubscribed("a");
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isZero();
		}
	}

	@Test
	void olderClientsAreToldOfFailure() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect(olderClient("m4", true));
			assertThat(subscribe(client, filters("a/%d", 30))).contains(1, 0x80);
		}
	}

	@Test
	void countsAnonymousClientOnce() throws Exception {
		try (RawClient first = new RawClient(this.broker.port()); RawClient named = new RawClient(this.broker.port())) {
			first.connect(olderClient("", true));
			assertThat(subscribe(first, List.of("a"))).containsExactly(1);
			long held = this.budget.used(MemoryUse.SUBSCRIPTION);
			named.connect("m17", RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 1));
			named.close();
			// Removed by a later comparison with the sessions of Artemis.
			await(() -> this.budget.used(MemoryUse.SESSION) == 0, "the end of the session");
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isEqualTo(held);
		}
		awaitReleased();
	}

	@Test
	void refusesLastingSessionsBeyondLimit() throws Exception {
		int accepted = 0;
		MqttConnectReturnCode code = MqttConnectReturnCode.CONNECTION_ACCEPTED;
		while (code == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			assertThat(accepted).isLessThan(200);
			try (RawClient client = new RawClient(this.broker.port())) {
				MqttConnAckMessage connack = client.connect("m5-" + accepted++, LASTING);
				code = connack.variableHeader().connectReturnCode();
				if (code == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
					subscribe(client, filters("a/%d", 2));
				}
				else {
					client.assertClosed();
				}
			}
		}
		assertThat(code).isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_QUOTA_EXCEEDED);
		assertThat(this.budget.refused(MemoryUse.SESSION)).isPositive();
		assertThat(this.budget.used(MemoryUse.SESSION)).isLessThanOrEqualTo(BUDGET / 2);
		code = MqttConnectReturnCode.CONNECTION_ACCEPTED;
		for (int i = 0; code == MqttConnectReturnCode.CONNECTION_ACCEPTED; i++) {
			assertThat(i).isLessThan(1_000);
			try (RawClient older = new RawClient(this.broker.port())) {
				code = older.connect(olderClient("m5-older-" + i, false)).variableHeader().connectReturnCode();
			}
		}
		assertThat(code).isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE);
		// Half of the budget is left for clients that leave nothing behind.
		try (RawClient client = client("m5-clean")) {
			client.subscribed("answers", 1);
			client.send(client.request("echo", "answers"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("echo");
		}
	}

	@Test
	void endsLongestDetachedSessionWhenMemoryIsShort() throws Exception {
		try (RawClient attached = new RawClient(this.broker.port())) {
			attached.connect("m16-attached", LASTING);
			attached.subscribed("a", 1);
			int accepted = 0;
			while (isAccepted("m16-" + accepted)) {
				assertThat(++accepted).isLessThan(500);
			}
			await(() -> isAccepted("m16-new"), "room for another session");
			attached.ping();
			attached.unsubscribed("a");
			assertThat(isPresent("m16-0")).isFalse();
			assertThat(isPresent("m16-" + (accepted - 1))).isTrue();
			assertThat(isPresent("m16-new")).isTrue();
		}
	}

	private boolean isAccepted(String clientId) throws IOException {
		try (RawClient client = new RawClient(this.broker.port())) {
			return client.connect(clientId, LASTING)
				.variableHeader()
				.connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED;
		}
	}

	private boolean isPresent(String clientId) throws IOException {
		try (RawClient client = new RawClient(this.broker.port())) {
			return client.connect(RawClient.connectBuilder(clientId).cleanSession(false).build())
				.variableHeader()
				.isSessionPresent();
		}
	}

	@Test
	void countsWillOfLastingSession() throws Exception {
		MqttProperties properties = new MqttProperties();
		properties.add(new MqttProperties.UserProperty("name", "x".repeat(20_000)));
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect(RawClient.connectBuilder("m17", LASTING)
				.willFlag(true)
				.willTopic("wills/m17")
				.willMessage(new byte[] { 1 })
				.willQoS(MqttQoS.AT_LEAST_ONCE)
				.willProperties(properties)
				.build());
			assertThat(this.budget.used(MemoryUse.SESSION)).isGreaterThan(20_000);
		}
	}

	@Test
	void continuedSessionIsCountedOnce() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m6", LASTING);
			subscribe(client, filters("a/%d", 5));
		}
		long held = this.budget.used(MemoryUse.SESSION);
		assertThat(held).isGreaterThan(5 * SessionSubscriptions.COST);
		for (int i = 0; i < 5; i++) {
			try (RawClient client = new RawClient(this.broker.port())) {
				assertThat(client.connect(RawClient.connectBuilder("m6", LASTING).cleanSession(false).build())
					.variableHeader()
					.isSessionPresent()).isTrue();
				subscribe(client, filters("a/%d", 5));
				assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			}
		}
		try (RawClient client = client("m6")) {
			client.ping();
			assertThat(this.budget.used(MemoryUse.SESSION)).isZero();
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isZero();
		}
	}

	@Test
	void expiredSessionIsReleased() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m7", RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 1));
			client.subscribed("a", 1);
			assertThat(this.budget.used(MemoryUse.SESSION)).isPositive();
		}
		awaitReleased();
	}

	@Test
	void sessionEndedByDisconnectIsReleased() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m8", LASTING);
			client.subscribed("a", 1);
			client.send(disconnect(RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 0)));
			client.assertClosed();
		}
		awaitReleased();
	}

	@Test
	void disconnectCannotMakeSessionLasting() throws Exception {
		try (RawClient client = client("m9")) {
			client.subscribed("a", 1);
			client.send(disconnect(LASTING));
			client.assertClosed();
		}
		awaitReleased();
		try (RawClient client = new RawClient(this.broker.port())) {
			assertThat(client.connect(RawClient.connectBuilder("m9").cleanSession(false).build())
				.variableHeader()
				.isSessionPresent()).isFalse();
		}
	}

	@Test
	void refusesRetainedMessagesBeyondLimit() throws Exception {
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
	void retainedMessagesLeaveRoomForOthers() throws Exception {
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
	void clearedRetainedMessageIsReleased() throws Exception {
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
	void topicsAreForgottenAfterUse() throws Exception {
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

	@Test
	void nothingIsLeftAfterManyCycles() throws Exception {
		int ended = 0;
		for (int i = 0; i < 250; i++) {
			IntegerProperty expiry = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, i % 3);
			boolean breaks = i % 5 == 0;
			try (RawClient client = new RawClient(this.broker.port())) {
				client.connect(RawClient.connectBuilder("cycle-" + i % 7, expiry).cleanSession(i % 2 == 0).build());
				for (int j = 0; j < 10; j++) {
					client.send(client.subscribe("c/" + (i + j) % 8, 1));
					client.send(client.subscribe("$share/g/c/" + j % 3, 1));
					if (!breaks) {
						client.send(retained(client, "kept/" + j % 3, 0, (j % 2 == 0) ? "x".repeat(j) : ""));
					}
					if (j % 3 == 0) {
						client.send(MqttMessageBuilders.unsubscribe()
							.messageId(client.nextPacketId())
							.addTopicFilter("c/" + (i + j) % 8)
							.build());
					}
				}
				if (!breaks) {
					awaitProcessed(client);
				}
				if (i % 4 == 0) {
					client.send(disconnect());
				}
			}
			catch (IOException | AssertionError ex) {
				// Artemis may end a connection while it ends an earlier one of the same
				// client. The client would reconnect; here it is one more way to end.
				ended++;
			}
		}
		assertThat(ended).as("connections that Artemis ended").isLessThan(125);
		try (RawClient client = client("cleaner")) {
			await(() -> this.budget.used(MemoryUse.SESSION) + this.budget.used(MemoryUse.SUBSCRIPTION) == 0,
					"the end of all sessions");
			for (int j = 0; j < 3; j++) {
				assertThat(retain(client, "kept/" + j, 1, "")).isZero();
			}
		}
		awaitReleased();
		await(() -> artemis().getPostOffice().getAllBindings().findAny().isEmpty(), "the removal of all queues");
	}

	@Test
	void countsUnreleasedMessagesOfQos2() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m18", LASTING);
			long before = this.budget.used(MemoryUse.SESSION);
			MqttPublishMessage first = client.publish("t", 2, "x");
			client.send(first.copy());
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
			long held = this.budget.used(MemoryUse.SESSION);
			assertThat(held).isGreaterThan(before);
			client.send(first);
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			client.send(client.reply(MqttMessageType.PUBREL, first.variableHeader().packetId()));
			assertThat(client.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(before);
		}
	}

	@Test
	void refusesUnreleasedMessagesBeyondLimit() throws Exception {
		try (RawClient client = client("m19")) {
			int received = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t", 2, "x"));
				reason = client.receiveReason(MqttMessageType.PUBREC);
				assertThat(++received).isLessThan(5_000);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			client.send(client.reply(MqttMessageType.PUBREL, 1));
			assertThat(client.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
		}
		awaitReleased();
	}

	@Test
	void unreleasedMessagesOfLastingSessionEndWithIt() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m20", RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 1));
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
		}
		awaitReleased();
	}

	/** Waits until the broker has processed everything that was sent before. */
	private static void awaitProcessed(RawClient client) throws IOException {
		MqttMessage last = client.subscribe("last", 0);
		client.send(last);
		MqttMessage received = client.receive();
		while (!(received instanceof MqttSubAckMessage) || Packets.packetId(received) != Packets.packetId(last)) {
			received = client.receive();
		}
	}

	private static List<String> filters(String pattern, int count) {
		return IntStream.range(0, count).mapToObj((number) -> String.format(pattern, number)).toList();
	}

	private static List<Integer> subscribe(RawClient client, List<String> filters) throws IOException {
		MqttMessageBuilders.SubscribeBuilder request = MqttMessageBuilders.subscribe().messageId(client.nextPacketId());
		filters.forEach((filter) -> request.addSubscription(MqttQoS.AT_LEAST_ONCE, filter));
		client.send(request.build());
		return client.receive(MqttSubAckMessage.class)
			.payload()
			.reasonCodes()
			.stream()
			.map((reason) -> reason & 0xFF)
			.toList();
	}

	private static MqttPublishMessage retained(RawClient client, String topic, int qos, String payload) {
		return MqttMessageBuilders.publish()
			.topicName(topic)
			.retained(true)
			.qos(MqttQoS.valueOf(qos))
			.messageId((qos > 0) ? client.nextPacketId() : 0)
			.payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8))
			.build();
	}

	private static int retain(RawClient client, String topic, int qos, String payload) throws IOException {
		client.send(retained(client, topic, qos, payload));
		return client.receiveReason((qos == 1) ? MqttMessageType.PUBACK : MqttMessageType.PUBREC);
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

	private static MqttConnectMessage olderClient(String clientId, boolean clean) {
		return MqttMessageBuilders.connect()
			.clientId(clientId)
			.protocolVersion(MqttVersion.MQTT_3_1_1)
			.cleanSession(clean)
			.keepAlive(60)
			.build();
	}

	private static MqttMessage disconnect(MqttProperties.MqttProperty<?>... properties) {
		return new MqttMessage(new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttReasonCodeAndPropertiesVariableHeader((byte) 0, RawClient.properties(properties)));
	}

	/** Waits until nothing at all is held. */
	private void awaitReleased() throws Exception {
		await(() -> this.budget.used() == 0, "the release of all memory");
		List<MemoryUse> held = new ArrayList<>(List.of(MemoryUse.values()));
		held.removeIf((use) -> this.budget.used(use) == 0);
		assertThat(held).isEmpty();
	}

	private void await(Condition condition, String expected) throws Exception {
		long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
		while (!condition.isMet()) {
			if (System.nanoTime() > end) {
				throw new AssertionError("Waited in vain for " + expected + "; held: " + held());
			}
			TimeUnit.MILLISECONDS.sleep(20);
		}
	}

	private String held() {
		StringBuilder held = new StringBuilder();
		for (MemoryUse use : MemoryUse.values()) {
			held.append(use).append('=').append(this.budget.used(use)).append(' ');
		}
		return held.toString();
	}

	private interface Condition {

		boolean isMet() throws Exception;

	}

}
