package io.statestore.broker.mqtt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The memory of subscriptions, sessions, retained messages, and topics. */
class SessionMemoryTests extends MqttBrokerTest {

	private static final int QUOTA_EXCEEDED = 0x97;

	private static final long BUDGET = 2_000_000;

	private static final long PER_CLIENT = 400_000;

	private static final RawProperty LASTING = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	SessionMemoryTests() {
		this.budget = new MemoryBudget(BUDGET, PER_CLIENT);
	}

	@Test
	void refusesSubscriptionsBeyondLimit() throws Exception {
		try (RawMqttConnection client = client("m1")) {
			List<Integer> reasons = subscribe(client, filters("a/%d", 100));
			int granted = (int) reasons.stream().filter((reason) -> reason == 1).count();
			assertThat(granted).isBetween(10, 30);
			assertThat(reasons.subList(0, granted)).containsOnly(1);
			assertThat(reasons.subList(granted, 100)).containsOnly(QUOTA_EXCEEDED);
			assertThat(this.budget.refused(MemoryUse.SUBSCRIPTION)).isEqualTo(100 - granted);
			client.send(client.publish("a/0", 0, "granted"));
			assertThat(client.receivePublish().text()).isEqualTo("granted");
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
		try (RawMqttConnection client = client("m2")) {
			assertThat(subscribe(client, filters(pattern, 30))).contains(1, QUOTA_EXCEEDED);
		}
	}

	@Test
	void repeatedSubscriptionIsCountedOnce() throws Exception {
		try (RawMqttConnection client = client("m3")) {
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
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(olderClient("m4", true));
			assertThat(subscribe(client, filters("a/%d", 30))).contains(1, 0x80);
		}
	}

	@Test
	void countsAnonymousClientOnce() throws Exception {
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port());
				RawMqttConnection named = new RawMqttConnection(this.broker.port())) {
			first.connect(olderClient("", true));
			assertThat(subscribe(first, List.of("a"))).containsExactly(1);
			long held = this.budget.used(MemoryUse.SUBSCRIPTION);
			named.connect("m17", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
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
		int code = 0;
		while (code == 0) {
			assertThat(accepted).isLessThan(200);
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				RawControl connack = client.connect("m5-" + accepted++, LASTING);
				code = connack.reason();
				if (code == 0) {
					subscribe(client, filters("a/%d", 2));
				}
				else {
					client.assertClosed();
				}
			}
		}
		assertThat(code).isEqualTo(0x97);
		assertThat(this.budget.refused(MemoryUse.SESSION)).isPositive();
		assertThat(this.budget.used(MemoryUse.SESSION)).isLessThanOrEqualTo(BUDGET / 2);
		code = 0;
		for (int i = 0; code == 0; i++) {
			assertThat(i).isLessThan(1_000);
			try (RawMqttConnection older = new RawMqttConnection(this.broker.port())) {
				code = older.connect(olderClient("m5-older-" + i, false)).reason();
			}
		}
		assertThat(code).isEqualTo(0x03);
		// Half of the budget is left for clients that leave nothing behind.
		try (RawMqttConnection client = client("m5-clean")) {
			client.subscribed("answers", 1);
			client.send(request(client, "echo", "answers"));
			assertThat(client.receivePublish().text()).isEqualTo("echo");
		}
	}

	@Test
	void endsLongestDetachedSessionWhenMemoryIsShort() throws Exception {
		try (RawMqttConnection attached = new RawMqttConnection(this.broker.port())) {
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
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return client.connect(clientId, LASTING).reason() == 0;
		}
	}

	private boolean isPresent(String clientId) throws IOException {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return client.connect(RawConnect.of(clientId).cleanStart(false)).sessionPresent();
		}
	}

	@Test
	void countsWillOfLastingSession() throws Exception {
		RawPublish will = RawPublish.of((message) -> {
			message.topic = "wills/m17";
			message.payload = new byte[] { 1 };
			message.with("name", "x".repeat(20_000));
		});
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("m17", LASTING).will(will));
			assertThat(this.budget.used(MemoryUse.SESSION)).isGreaterThan(20_000);
		}
	}

	@Test
	void continuedSessionIsCountedOnce() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m6", LASTING);
			subscribe(client, filters("a/%d", 5));
		}
		long held = this.budget.used(MemoryUse.SESSION);
		assertThat(held).isGreaterThan(5 * SessionSubscriptions.COST);
		for (int i = 0; i < 5; i++) {
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				assertThat(client.connect(RawConnect.of("m6", LASTING).cleanStart(false)).sessionPresent()).isTrue();
				subscribe(client, filters("a/%d", 5));
				assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			}
		}
		try (RawMqttConnection client = client("m6")) {
			client.ping();
			assertThat(this.budget.used(MemoryUse.SESSION)).isZero();
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isZero();
		}
	}

	@Test
	void expiredSessionIsReleased() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m7", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
			client.subscribed("a", 1);
			assertThat(this.budget.used(MemoryUse.SESSION)).isPositive();
		}
		awaitReleased();
	}

	@Test
	void sessionEndedByDisconnectIsReleased() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m8", LASTING);
			client.subscribed("a", 1);
			client.send(RawControl.disconnect(0, PropertyType.SESSION_EXPIRY_INTERVAL.of(0)));
			client.assertClosed();
		}
		awaitReleased();
	}

	@Test
	void disconnectCannotMakeSessionLasting() throws Exception {
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

	@Test
	void refusesRetainedMessagesBeyondLimit() throws Exception {
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
	void retainedMessagesLeaveRoomForOthers() throws Exception {
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
			assertThat(held).isBetween(90_000L, 90_000 + 2 * TopicLedger.RETAINED_COST);
			assertThat(retain(client, "r", 1, "x".repeat(80_000))).isZero();
			assertThat(this.budget.used(MemoryUse.RETAINED)).isEqualTo(held - 10_000);
		}
	}

	@Test
	void clearedRetainedMessageIsReleased() throws Exception {
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
	void topicsAreForgottenAfterUse() throws Exception {
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

	@Tag("long")
	@Test
	void nothingIsLeftAfterManyCycles() throws Exception {
		int ended = 0;
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
			catch (IOException | AssertionError ex) {
				// Artemis may end a connection while it ends an earlier one of the same
				// client. The client would reconnect; here it is one more way to end.
				ended++;
			}
		}
		assertThat(ended).as("connections that Artemis ended").isLessThan(125);
		try (RawMqttConnection client = client("cleaner")) {
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
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m18", LASTING);
			long before = this.budget.used(MemoryUse.SESSION);
			RawPublish first = client.publish("t", 2, "x");
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			long held = this.budget.used(MemoryUse.SESSION);
			assertThat(held).isGreaterThan(before);
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, first.packetId));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(before);
		}
	}

	@Tag("long")
	@Test
	void refusesUnreleasedMessagesBeyondLimit() throws Exception {
		try (RawMqttConnection client = client("m19")) {
			int received = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t", 2, "x"));
				reason = client.receiveReason(PacketType.PUBREC);
				assertThat(++received).isLessThan(5_000);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 1));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
		awaitReleased();
	}

	@Test
	void unreleasedMessagesOfLastingSessionEndWithIt() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m20", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
		awaitReleased();
	}

	/** Waits until the broker has processed everything that was sent before. */
	private static void awaitProcessed(RawMqttConnection client) throws IOException {
		RawControl last = client.subscribe("last", 0);
		client.send(last);
		RawPacket received = client.receive();
		while (!(received instanceof RawControl control && control.type() == PacketType.SUBACK
				&& control.packetId() == last.packetId())) {
			received = client.receive();
		}
	}

	private static List<String> filters(String pattern, int count) {
		return IntStream.range(0, count).mapToObj((number) -> String.format(pattern, number)).toList();
	}

	private static List<Integer> subscribe(RawMqttConnection client, List<String> filters) throws IOException {
		client.send(client.subscribe(filters));
		return client.receive(PacketType.SUBACK).reasons();
	}

	private static int retain(RawMqttConnection client, String topic, int qos, String payload) throws IOException {
		client.send(retained(client, topic, qos, payload));
		return client.receiveReason((qos == 1) ? PacketType.PUBACK : PacketType.PUBREC);
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

	private static RawConnect olderClient(String clientId, boolean clean) {
		return RawConnect.of(clientId).version(RawPacket.MQTT_3_1_1).cleanStart(clean);
	}

	/** Waits until nothing at all is held. */
	private void awaitReleased() throws Exception {
		await(() -> this.budget.used() == 0, "the release of all memory");
		List<MemoryUse> held = new ArrayList<>(List.of(MemoryUse.values()));
		held.removeIf((use) -> this.budget.used(use) == 0);
		assertThat(held).isEmpty();
	}

	private void await(Callable<Boolean> condition, String expected) {
		try {
			Awaitility.await(expected).pollInterval(Duration.ofMillis(20)).until(condition);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("Held: " + held(), ex);
		}
	}

	private String held() {
		StringBuilder held = new StringBuilder();
		for (MemoryUse use : MemoryUse.values()) {
			held.append(use).append('=').append(this.budget.used(use)).append(' ');
		}
		return held.toString();
	}

}
