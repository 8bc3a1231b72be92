package io.statestore.broker.artemis.session;

import java.io.IOException;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.RawClient;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of sessions that outlive their connections. */
class SessionMemoryTests extends ClientMemoryTest {

	@Test
	void refusesLastingSessionsAboveLimit() throws Exception {
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
		// The other half of the budget is for clients whose session ends with them.
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
	void countsContinuedSessionOnce() throws Exception {
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
	void releasesExpiredSession() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m7", RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 1));
			client.subscribed("a", 1);
			assertThat(this.budget.used(MemoryUse.SESSION)).isPositive();
		}
		awaitReleased();
	}

	@Test
	void releasesSessionEndedByDisconnect() throws Exception {
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
	void releasesAllMemoryAfterManySessions() throws Exception {
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
				// Artemis may end a connection while it ends an earlier one of the
				// client.
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

	/** Waits until the broker has executed all earlier packets of a client. */
	private static void awaitProcessed(RawClient client) throws IOException {
		MqttMessage last = client.subscribe("last", 0);
		client.send(last);
		MqttMessage received = client.receive();
		while (!(received instanceof MqttSubAckMessage) || Packets.packetId(received) != Packets.packetId(last)) {
			received = client.receive();
		}
	}

}
