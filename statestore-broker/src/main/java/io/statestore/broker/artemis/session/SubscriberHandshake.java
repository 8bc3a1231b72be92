package io.statestore.broker.artemis.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.packet.Packets;
import org.apache.activemq.artemis.api.core.ActiveMQIllegalStateException;
import org.apache.activemq.artemis.api.core.Pair;
import org.apache.activemq.artemis.core.io.IOCallback;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Second half of the exchange of QoS 2 messages with one subscriber: PUBREC, PUBREL, and
 * PUBCOMP. With a directory, it replaces that of Artemis, which sends the PUBREL before
 * the removal of the message is on the disk, does not repeat it on the next connection,
 * and forgets the packet identifier meanwhile.
 * <p>
 * Used by one thread at a time, with the operation context of the connection.
 * <p>
 * Internal: not part of the API.
 */
public final class SubscriberHandshake {

	private static final Logger logger = LoggerFactory.getLogger(SubscriberHandshake.class);

	private static final MqttFixedHeader PUBREL = new MqttFixedHeader(MqttMessageType.PUBREL, false,
			MqttQoS.AT_LEAST_ONCE, false, 0);

	private final Channel channel;

	private final StorageManager storage;

	private final SentMessages sent;

	/** The session, {@code null} before the CONNECT. */
	private @Nullable MQTTSessionState session;

	SubscriberHandshake(Channel channel, StorageManager storage, SentMessages sent) {
		this.channel = channel;
		this.storage = storage;
		this.sent = sent;
	}

	/**
	 * Handles the start of a session, or its continuation. Repeats each PUBREL that the
	 * client has not answered.
	 * @param session the session of the connection
	 */
	void connected(MQTTSessionState session) {
		this.session = session;
		OutboundIds ids = OutboundIds.of(session);
		this.sent.reserveConfirmed(session.getClientId(), ids);
		ids.confirmed().forEach((packetId) -> whenStored(() -> release(packetId)));
	}

	/**
	 * Handles a PUBREC or a PUBCOMP.
	 * @param packet a packet of the client
	 * @return {@code false} if it is of another type, and Artemis is to handle it
	 */
	public boolean handle(MqttMessage packet) {
		MQTTSessionState session = this.session;
		if (session == null) {
			return false;
		}
		switch (packet.fixedHeader().messageType()) {
			case PUBREC -> received(session, Packets.packetId(packet), Packets.isFailure(packet));
			case PUBCOMP -> completed(session, Packets.packetId(packet));
			default -> {
				return false;
			}
		}
		return true;
	}

	private void received(MQTTSessionState session, int packetId, boolean refused) {
		if (!this.channel.isActive()) {
			// The queue has the message again. The next connection repeats it.
			return;
		}
		Pair<Long, Long> message = OutboundIds.of(session).confirm(packetId);
		if (message != null && !acknowledge(message.getA(), message.getB())) {
			return;
		}
		whenStored(() -> {
			if (refused) {
				completed(session, packetId);
			}
			else {
				this.sent.confirmed(session.getClientId(), packetId);
				release(packetId);
			}
		});
	}

	/**
	 * Removes a message from its queue.
	 * @return whether the queue no longer has it. A queue gets its messages back as soon
	 * as the connection has ended
	 */
	private boolean acknowledge(long messageId, long consumerId) {
		ServerConsumer consumer = this.sent.consumer(consumerId);
		if (consumer == null) {
			// The subscription has ended, together with its messages.
			return this.channel.isActive();
		}
		try {
			consumer.individualAcknowledge(null, messageId);
			consumer.promptDelivery();
			return true;
		}
		catch (ActiveMQIllegalStateException ex) {
			logger.debug("Received a PUBREC of a message that is not in its queue", ex);
			return this.channel.isActive();
		}
		catch (Exception ex) {
			logger.debug("Failed to remove a message that a subscriber has received", ex);
			this.channel.close();
			return false;
		}
	}

	private void completed(MQTTSessionState session, int packetId) {
		if (OutboundIds.of(session).complete(packetId)) {
			this.sent.completed(session.getClientId(), packetId);
		}
	}

	private void release(int packetId) {
		ChannelHandlerContext artemis = this.channel.pipeline().context(MQTTProtocolHandler.class);
		if (artemis != null) {
			artemis.writeAndFlush(new MqttMessage(PUBREL, MqttMessageIdVariableHeader.from(packetId)));
		}
	}

	/** Runs an action after the earlier writes of the connection, if they succeed. */
	private void whenStored(Runnable action) {
		this.storage.afterCompleteOperations(new IOCallback() {

			@Override
			public void done() {
				action.run();
			}

			@Override
			public void onError(int code, String message) {
				// JournalContext closes the connection.
			}

		});
	}

}
