package io.statestore.broker.gateway;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.gateway.Outbox.Recipient;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.Wire;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxTests {

	private final MemoryBudget budget = new MemoryBudget(100_000, 50_000);

	private final Outbox outbox = new Outbox(this.budget.open(), this.budget.maxBytesPerClient());

	private final RecordingWire wire = new RecordingWire();

	private final List<Integer> reasons = new ArrayList<>();

	private static Accepted accepted(boolean sessionPresent, int receiveMaximum, long maxPacketSize) {
		return new Accepted(sessionPresent, receiveMaximum, maxPacketSize, 2, true, true, null, List.of());
	}

	private boolean publish(Kind kind, String topic) {
		return publish(kind, topic, new Recipient());
	}

	private boolean publish(Kind kind, String topic, Recipient recipient) {
		Outbox.Message message = this.outbox.reserve(
				new OwnPublish(new OutgoingMessage(kind, topic, new byte[10], null, List.of()), 1, List.of()),
				recipient, this.reasons::add);
		if (message == null) {
			return false;
		}
		this.outbox.publish(message);
		return true;
	}

	@Test
	void waitsForConnection() {
		publish(Kind.REPLY, "a");
		assertThat(this.wire.sent).isEmpty();

		this.outbox.connected(this.wire, accepted(false, 10, 1_000));

		assertThat(this.wire.sent).containsExactly("a@1");
	}

	@Test
	void respectsReceiveMaximum() {
		this.outbox.connected(this.wire, accepted(false, 2, 1_000));
		for (String topic : List.of("a", "b", "c", "d")) {
			publish(Kind.REPLY, topic);
		}
		assertThat(this.wire.sent).containsExactly("a@1", "b@2");

		this.outbox.acknowledged(2, 0x10);

		assertThat(this.wire.sent).containsExactly("a@1", "b@2", "c@3");
		assertThat(this.reasons).containsExactly(0x10);
	}

	@Test
	void acknowledgesRequestAfterItsReply() {
		this.outbox.connected(this.wire, accepted(false, 1, 1_000));
		publish(Kind.REPLY, "a");
		publish(Kind.REPLY, "b");
		this.outbox.acknowledge(this.wire, 7);
		assertThat(this.wire.sent).containsExactly("a@1");

		this.outbox.acknowledged(1, 0);

		assertThat(this.wire.sent).containsExactly("a@1", "b@2", "PUBACK 7");
	}

	@Test
	void resendsWithSameIdInResumedSession() {
		this.outbox.connected(this.wire, accepted(false, 2, 1_000));
		publish(Kind.REPLY, "a");
		publish(Kind.NOTIFICATION, "b");
		publish(Kind.REPLY, "c");
		this.outbox.acknowledge(this.wire, 7);
		this.outbox.disconnected();
		RecordingWire next = new RecordingWire();

		this.outbox.connected(next, accepted(true, 3, 1_000));

		assertThat(next.sent).containsExactly("a@1 again", "b@2 again", "c@3");
	}

	@Test
	void resendsInOrderInNewSession() {
		this.outbox.connected(this.wire, accepted(false, 2, 1_000));
		publish(Kind.REPLY, "a");
		publish(Kind.NOTIFICATION, "b");
		publish(Kind.REPLY, "c");
		this.outbox.disconnected();
		RecordingWire next = new RecordingWire();

		this.outbox.connected(next, accepted(false, 3, 1_000));

		assertThat(next.sent).containsExactly("a@3", "b@4", "c@5");
	}

	@Test
	void dropsReplyThatMayEndConnections() {
		publish(Kind.REPLY, "poison");
		publish(Kind.NOTIFICATION, "fine");
		List<List<String>> sent = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			RecordingWire next = new RecordingWire();
			this.outbox.connected(next, accepted(i > 0, 10, 1_000));
			this.outbox.disconnected();
			sent.add(next.sent);
		}

		assertThat(sent).containsExactly(List.of("poison@1", "fine@2"), List.of("poison@1 again", "fine@2 again"),
				List.of("poison@1 again", "fine@2 again"), List.of("fine@2 again"));
	}

	@Test
	void dropsMessageTooLargeForBroker() {
		this.outbox.connected(this.wire, accepted(false, 10, 50));
		publish(Kind.REPLY, "x".repeat(50));
		publish(Kind.REPLY, "a");

		assertThat(this.wire.sent).containsExactly("a@1");
	}

	@Test
	void sendsOnceInOrderWhenWritabilityChanges() {
		this.outbox.connected(this.wire, accepted(false, 10, 1_000));
		this.wire.onWrite = this.outbox::drain;
		publish(Kind.REPLY, "a");
		this.wire.writable = false;
		for (String topic : List.of("b", "c", "d")) {
			publish(Kind.REPLY, topic);
		}
		this.wire.writable = true;
		this.outbox.drain();
		assertThat(this.wire.sent).containsExactly("a@1", "b@2", "c@3", "d@4");

		publish(Kind.REPLY, "e");
		this.outbox.disconnected();
		publish(Kind.REPLY, "f");
		RecordingWire next = new RecordingWire();
		next.onWrite = this.outbox::drain;
		this.outbox.connected(next, accepted(true, 10, 1_000));
		assertThat(next.sent).containsExactly("a@1 again", "b@2 again", "c@3 again", "d@4 again", "e@5 again", "f@6");
	}

	@Test
	void losesNoMessageIfConnectionEndsDuringWrite() {
		this.outbox.connected(this.wire, accepted(false, 10, 1_000));
		this.wire.writable = false;
		this.outbox.acknowledge(this.wire, 7);
		publish(Kind.REPLY, "a");
		this.wire.onWrite = this.outbox::disconnected;
		this.wire.writable = true;
		this.outbox.drain();
		RecordingWire next = new RecordingWire();
		this.outbox.connected(next, accepted(false, 10, 1_000));

		assertThat(this.wire.sent).containsExactly("PUBACK 7");
		assertThat(next.sent).containsExactly("a@1");
	}

	@Test
	void refusesMessagesBeyondItsMemory() {
		String topic = "x".repeat(1_000);
		int accepted = fill(topic);
		assertThat(accepted).isBetween((int) (Outbox.REPLY_MEMORY + 50_000) / 1_400,
				(int) (Outbox.REPLY_MEMORY + 50_000) / 1_256);
		assertThat(this.budget.used(MemoryUse.OUTGOING)).isBetween(48_000L, 50_000L);
		assertThat(this.budget.refused(MemoryUse.OUTGOING)).isEqualTo(1);

		this.outbox.connected(this.wire, accepted(false, 65_535, 10_000));
		assertThat(this.wire.sent).hasSize(accepted);
		assertThat(publish(Kind.REPLY, topic)).as("before an acknowledgment").isFalse();
		for (int id = 1; id <= accepted; id++) {
			this.outbox.acknowledged(id, 0);
		}

		assertThat(this.budget.used()).isZero();
		this.outbox.disconnected();
		assertThat(fill(topic)).isEqualTo(accepted);
	}

	@Test
	void releasesMemoryOfDroppedMessages() {
		int accepted = fill("x".repeat(1_000));
		this.outbox.connected(this.wire, accepted(false, 65_535, 500));
		assertThat(this.wire.sent).isEmpty();
		this.outbox.disconnected();
		assertThat(this.budget.used()).isZero();
		assertThat(fill("x".repeat(1_000))).isEqualTo(accepted);
		for (int i = 0; i < 4; i++) {
			this.outbox.connected(this.wire, accepted(true, 65_535, 10_000));
			this.outbox.disconnected();
		}
		assertThat(this.budget.used()).isZero();
		assertThat(fill("x".repeat(1_000))).isEqualTo(accepted);
	}

	@Test
	void notificationsLeaveReservedMemoryForReplies() {
		String topic = "x".repeat(1_000);
		int accepted = 0;
		while (publish(Kind.NOTIFICATION, topic)) {
			accepted++;
		}
		assertThat(accepted).isBetween(50_000 / 1_400, 50_000 / 1_256);
		assertThat(publish(Kind.REPLY, topic)).isTrue();
	}

	@Test
	void oneRecipientLeavesHalfOfMemoryForOthers() {
		String topic = "x".repeat(1_000);
		Recipient slow = new Recipient();
		while (publish(Kind.NOTIFICATION, topic, slow)) {
			assertThat(this.outbox.load()).isLessThanOrEqualTo(0.5);
		}
		assertThat(this.outbox.load()).isGreaterThan(0.4);
		Recipient other = new Recipient();
		assertThat(publish(Kind.NOTIFICATION, topic, other)).isTrue();
		assertThat(publish(Kind.NOTIFICATION, topic, other)).isTrue();
		assertThat(publish(Kind.NOTIFICATION, topic, slow)).isFalse();
	}

	@Test
	void ownMessagesAreSentFirstAndEndWithConnection() {
		this.outbox.connected(this.wire, accepted(false, 1, 1_000));
		publish(Kind.REPLY, "a");
		publish(Kind.REPLY, "b");
		publishOwn("own1");
		publishOwn("own2");
		this.outbox.acknowledged(1, 0);
		assertThat(this.wire.sent).containsExactly("a@1", "own1@2");

		this.outbox.disconnected();
		RecordingWire next = new RecordingWire();
		publishOwn("own3");
		this.outbox.connected(next, accepted(true, 10, 1_000));
		assertThat(next.sent).containsExactly("own3@3", "b@4");
		assertThat(this.outbox.size()).isEqualTo(2);
	}

	private void publishOwn(String topic) {
		this.outbox.publishOwn(GatewayMessages.own(topic, new byte[0], true), (reason) -> {
		});
	}

	/** Returns how many replies the outbox has accepted. */
	private int fill(String topic) {
		int accepted = 0;
		while (publish(Kind.REPLY, topic)) {
			accepted++;
		}
		return accepted;
	}

	// The message would make the broker close each connection.
	@Test
	void doesNotResendMessageBrokerNoLongerAccepts() {
		this.outbox.connected(this.wire, accepted(true, 10, 1_000));
		publish(Kind.NOTIFICATION, "large");
		this.outbox.disconnected();

		this.outbox.connected(this.wire, accepted(true, 10, 5));

		assertThat(this.wire.sent).containsExactly("large@1");
		assertThat(this.reasons).containsExactly(ReasonCodes.PACKET_TOO_LARGE);
		assertThat(this.outbox.size()).isZero();
	}

	@Test
	void skipsPacketIdsInUse() {
		this.outbox.connected(this.wire, accepted(false, 65_535, 1_000));
		publish(Kind.REPLY, "first");
		for (int id = 2; id < Outbox.SUBSCRIBE_ID; id++) {
			publish(Kind.REPLY, "x");
			this.outbox.acknowledged(id, 0);
		}

		publish(Kind.REPLY, "last");

		assertThat(this.wire.sent).last().isEqualTo("last@2");
	}

	private static final class RecordingWire implements Wire {

		private final List<String> sent = new ArrayList<>();

		private Runnable onWrite = () -> {
		};

		private boolean writable = true;

		@Override
		public void acknowledge(int packetId) {
			this.sent.add("PUBACK " + packetId);
			this.onWrite.run();
		}

		@Override
		public void publish(OutgoingPublish message, int packetId, boolean repeated) {
			this.sent.add(message.topic() + "@" + packetId + (repeated ? " again" : ""));
			this.onWrite.run();
		}

		@Override
		public boolean isWritable() {
			return this.writable;
		}

	}

}
