package io.statestore.broker.mqtt;

import java.util.BitSet;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.Sessions;
import io.statestore.mqtt.Publish;

/**
 * Ordinary messages from one client, from PUBLISH to PUBCOMP (MQTT 5 section 4.3). Used
 * on the connection's event loop.
 */
final class IncomingMessages {

	/**
	 * Receive Maximum of this broker. Also the maximum number of a client's QoS 2
	 * messages without a PUBREL, regardless of the MQTT version.
	 */
	static final int RECEIVE_MAXIMUM = 4_096;

	private final ClientLink link;

	private final PendingChanges pending;

	private final TopicAccess access;

	private final Session session;

	/** Number of the connection in the log, 0 if the log does not have it. */
	private final long connectionNumber;

	/**
	 * Packet identifiers of QoS 2 messages on this connection without a PUBREL.
	 */
	private final BitSet unreleased = new BitSet(0);

	private int unreleasedCount;

	/**
	 * Creates an object without messages.
	 * @param link the connection
	 * @param pending the connection's changes
	 * @param access the client's access to topics
	 * @param session the client's session
	 * @param connectionNumber number of the connection in the log, 0 if the log does not
	 * have it
	 */
	IncomingMessages(ClientLink link, PendingChanges pending, TopicAccess access, Session session,
			long connectionNumber) {
		this.link = link;
		this.pending = pending;
		this.access = access;
		this.session = session;
		this.connectionNumber = connectionNumber;
	}

	/** Handles a PUBLISH. */
	void publish(Publish publish) {
		int qos = publish.qos();
		int packetId = publish.packetId();
		if (publish.hasTopicAlias()) {
			this.link.disconnect(ReasonCodes.TOPIC_ALIAS_INVALID, "a topic alias, which the broker does not support");
			return;
		}
		if (!this.access.mayPublish(publish.topic())) {
			deny(publish);
			return;
		}
		if (qos == 2 && this.unreleasedCount == RECEIVE_MAXIMUM && !this.unreleased.get(packetId)) {
			this.link.disconnect(ReasonCodes.RECEIVE_MAXIMUM_EXCEEDED,
					"more than " + RECEIVE_MAXIMUM + " messages with QoS 2 without a PUBREL");
			return;
		}
		if (qos == 2 && !this.session.isStored() && !this.session.receive(packetId)) {
			this.pending.replyInOrder(() -> acknowledge(qos, packetId, 0));
			return;
		}
		Message message;
		try {
			message = Publications.message(publish, this.link.clientId(), this.pending.log().now());
		}
		catch (DecoderException ex) {
			this.link.disconnect(ReasonCodes.MALFORMED_PACKET, String.valueOf(ex.getMessage()));
			return;
		}
		if (qos == 2) {
			setUnreleased(packetId, true);
		}
		route(message, qos, packetId);
	}

	private void route(Message message, int qos, int packetId) {
		Sessions sessions = this.pending.log().sessions();
		// Messages with an identifier in the log are deduplicated there.
		boolean identified = qos == 2 && this.session.isStored();
		boolean later = !this.pending.isEmpty();
		SessionChange.Publish change = sessions.routing()
			.route(message, this.access.client().principal().name(), this.connectionNumber, identified ? packetId : 0,
					later);
		if (change != null) {
			// The message may repeat an accepted message. Refusing it would free its
			// identifier, so disconnect instead.
			this.pending.append(change, (applied) -> published(applied, message.retain(), qos, packetId),
					identified ? this.pending::rejected : () -> refused(qos, packetId));
		}
		else if (later) {
			this.pending.runInOrder(() -> sessions.routing().deliver(message), message.cost(),
					() -> acknowledge(qos, packetId, 0));
		}
		else {
			acknowledge(qos, packetId, 0);
		}
	}

	private void deny(Publish publish) {
		int qos = publish.qos();
		int packetId = publish.packetId();
		Runnable refusal = () -> acknowledge(qos, packetId, ReasonCodes.NOT_AUTHORIZED);
		if (qos == 2 && publish.isRepeated()) {
			// May have been received while it was permitted. No PUBREL will follow, so
			// the identifier is released here.
			release(packetId, refusal);
		}
		else {
			this.pending.replyInOrder(refusal);
		}
	}

	private void setUnreleased(int packetId, boolean unreleased) {
		if (this.unreleased.get(packetId) != unreleased) {
			this.unreleased.set(packetId, unreleased);
			this.unreleasedCount += unreleased ? 1 : -1;
		}
	}

	private void published(Applied applied, boolean retain, int qos, int packetId) {
		if (applied.refused()) {
			this.pending.refused(retain ? "a retained message" : "a message with QoS 2",
					retain ? MemoryUse.RETAINED : MemoryUse.SESSION);
			refused(qos, packetId);
		}
		else {
			acknowledge(qos, packetId, 0);
		}
	}

	private void refused(int qos, int packetId) {
		if (qos == 2) {
			setUnreleased(packetId, false);
			if (!this.session.isStored()) {
				this.session.release(packetId);
			}
		}
		acknowledge(qos, packetId, ReasonCodes.QUOTA_EXCEEDED);
	}

	private void acknowledge(int qos, int packetId, int reasonCode) {
		if (qos > 0 && reasonCode != 0 && !this.link.isMqtt5()) {
			// An acknowledgment would tell the client that the message was accepted.
			this.link.disconnect(reasonCode, "a message that is refused");
		}
		else if (qos > 0) {
			this.link.write(Packets.acknowledgment(qos, packetId, reasonCode));
		}
	}

	/** Handles a PUBREL from the client. */
	void released(int packetId) {
		release(packetId, () -> this.link.write(Packets.reply(MqttMessageType.PUBCOMP, packetId, 0)));
	}

	private void release(int packetId, Runnable reply) {
		setUnreleased(packetId, false);
		if (this.session.isStored()) {
			this.pending.append(new SessionChange.Release(this.link.clientId(), this.connectionNumber, packetId),
					(applied) -> reply.run());
		}
		else {
			this.session.release(packetId);
			this.pending.replyInOrder(reply);
		}
	}

}
