package io.statestore.broker.artemis.session;

import java.util.HashMap;
import java.util.Map;

import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import io.statestore.broker.artemis.disk.DiskSpace;

/**
 * Space on the disk for the copies of retained messages that the new subscriptions of one
 * connection receive. Used on the event loop of the connection only.
 */
final class RetainedCopies {

	private final TopicLedger topics;

	private final DiskSpace disk;

	/** Reserved space in bytes, by the packet identifier of the SUBSCRIBE. */
	private final Map<Integer, Long> reserved = new HashMap<>();

	/**
	 * Creates an object without reservations.
	 * @param topics returns the size of retained messages
	 * @param disk space for their copies
	 */
	RetainedCopies(TopicLedger topics, DiskSpace disk) {
		this.topics = topics;
		this.disk = disk;
	}

	/**
	 * Reserves space for the retained messages of a subscription.
	 * @param packetId packet identifier of the SUBSCRIBE
	 * @param filter topic filter of the subscription in Artemis
	 * @param option options of the subscription
	 * @param known whether the session has the subscription already
	 * @return whether there is enough space
	 */
	boolean tryReserve(int packetId, String filter, MqttSubscriptionOption option, boolean known) {
		RetainedHandlingPolicy policy = option.retainHandling();
		if (this.disk == DiskSpace.UNLIMITED || policy == RetainedHandlingPolicy.DONT_SEND_AT_SUBSCRIBE
				|| (policy == RetainedHandlingPolicy.SEND_AT_SUBSCRIBE_IF_NOT_YET_EXISTS && known)) {
			return true;
		}
		long bytes = this.topics.retainedBytes(QueueNames.topics(filter));
		if (bytes == 0) {
			return true;
		}
		if (!this.disk.tryReserve(bytes)) {
			return false;
		}
		this.reserved.merge(packetId, bytes, Long::sum);
		return true;
	}

	/**
	 * Handles the answer to a SUBSCRIBE.
	 * @param packetId packet identifier
	 */
	void subscribed(int packetId) {
		Long bytes = this.reserved.remove(packetId);
		if (bytes != null) {
			this.disk.release(bytes);
		}
	}

	/** Handles the end of the connection. */
	void close() {
		this.reserved.values().forEach(this.disk::release);
		this.reserved.clear();
	}

}
