package io.statestore.broker.artemis.session;

import java.util.HashMap;
import java.util.Map;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.artemis.disk.DiskSpace;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Refuses messages of one client for which memory or space on the disk is exhausted. Not
 * thread-safe.
 */
final class PublishGuard {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(PublishGuard.class));

	/** Estimated size of a stored message in addition to its packet. */
	private static final int STORED_COST = 512;

	private static final int QUOTA_EXCEEDED = 0x97;

	private final SessionMemory session;

	private final TopicLedger topics;

	private final DiskSpace disk;

	private final String clientId;

	private final boolean mqtt5;

	/** Space reserved for messages without an acknowledgment, by packet identifier. */
	private final Map<Integer, Long> storing = new HashMap<>();

	/**
	 * Creates a guard.
	 * @param session memory of the client
	 * @param topics memory of topics
	 * @param disk space for messages that are stored
	 * @param clientId id of the client, for messages
	 * @param mqtt5 whether the client uses MQTT 5
	 */
	PublishGuard(SessionMemory session, TopicLedger topics, DiskSpace disk, String clientId, boolean mqtt5) {
		this.session = session;
		this.topics = topics;
		this.disk = disk;
		this.clientId = clientId;
		this.mqtt5 = mqtt5;
	}

	/**
	 * Passes a message on, or refuses it.
	 * @param context the context of the handler
	 * @param publish the message
	 * @return {@code false} if the connection is being closed, because a refusal cannot
	 * be reported before MQTT 5
	 */
	boolean read(ChannelHandlerContext context, MqttPublishMessage publish) {
		if (isStored(publish) && !tryReserveSpace(publish)) {
			clientLog.warn("Refused a message of client '{}': the disk is nearly full or failing. Check the disk",
					this.clientId);
			return refuse(context, publish);
		}
		String exhausted = reserve(publish);
		if (exhausted == null) {
			context.fireChannelRead(publish);
			return true;
		}
		answered(publish.variableHeader().packetId());
		clientLog.warn("Refused a message of client '{}': the memory for {} is exhausted. " + Limits.RAISE_MEMORY,
				this.clientId, exhausted, this.session.memory().largestHolder());
		return refuse(context, publish);
	}

	/** Returns whether a message is written to the disk, if there is a directory. */
	private static boolean isStored(MqttPublishMessage publish) {
		return publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE || publish.fixedHeader().isRetain();
	}

	private boolean tryReserveSpace(MqttPublishMessage publish) {
		long size = STORED_COST + publish.fixedHeader().remainingLength();
		// Artemis makes two copies of a retained message.
		long bytes = publish.fixedHeader().isRetain() ? 3 * size : size;
		if (!this.disk.tryReserve(bytes)) {
			return false;
		}
		Long earlier = this.storing.put(publish.variableHeader().packetId(), bytes);
		if (earlier != null) {
			this.disk.release(earlier);
		}
		return true;
	}

	private boolean refuse(ChannelHandlerContext context, MqttPublishMessage publish) {
		publish.release();
		if (!this.mqtt5) {
			context.close();
		}
		else if (publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE) {
			context.write(Packets.acknowledgment(Packets.MQTT_5, publish.fixedHeader().qosLevel().value(),
					publish.variableHeader().packetId(), QUOTA_EXCEEDED));
		}
		return this.mqtt5;
	}

	/**
	 * Reserves the memory that a message takes beyond its delivery.
	 * @return the purpose for which memory is exhausted, or {@code null} if it is
	 * reserved
	 */
	private @Nullable String reserve(MqttPublishMessage publish) {
		boolean exactlyOnce = publish.fixedHeader().qosLevel() == MqttQoS.EXACTLY_ONCE;
		int packetId = publish.variableHeader().packetId();
		if (exactlyOnce && this.session.isUnreleased(packetId)) {
			// Artemis ignores the repetition.
			return null;
		}
		if (exactlyOnce && !this.session.tryReceive(packetId)) {
			return "another message of QoS 2 without PUBREL";
		}
		if (tryStore(publish)) {
			return null;
		}
		if (exactlyOnce) {
			this.session.released(packetId);
		}
		return publish.fixedHeader().isRetain() ? "a retained message" : "another topic";
	}

	private boolean tryStore(MqttPublishMessage publish) {
		String topic = publish.variableHeader().topicName();
		if (!publish.fixedHeader().isRetain()) {
			return this.topics.tryPublish(this.session.memory(), topic);
		}
		boolean clears = !publish.payload().isReadable();
		return this.topics.tryPublishRetained(this.session.memory(), topic,
				clears ? 0 : publish.fixedHeader().remainingLength()
						+ SessionGuard.userProperties(publish.variableHeader().properties()));
	}

	/**
	 * Handles the answer to a message.
	 * @param packetId packet identifier of the message
	 */
	void answered(int packetId) {
		Long bytes = this.storing.remove(packetId);
		if (bytes != null) {
			this.disk.release(bytes);
		}
	}

	/** Handles the end of the connection. Messages in flight get no answer. */
	void close() {
		this.storing.values().forEach(this.disk::release);
		this.storing.clear();
	}

}
