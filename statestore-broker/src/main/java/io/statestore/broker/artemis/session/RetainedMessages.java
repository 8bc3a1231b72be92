package io.statestore.broker.artemis.session;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.TopicFilter;
import org.apache.activemq.artemis.core.config.WildcardConfiguration;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;

/**
 * Memory of retained messages, each of which is a queue in Artemis. Thread-safe, except
 * that one thread at a time may sweep.
 */
final class RetainedMessages {

	/** Measured heap of a retained message without its payload: 28 KB. */
	private static final long COST = 30 * 1024;

	/** Estimated heap of each character of a topic, which has several copies. */
	private static final long BYTES_PER_CHARACTER = 8;

	/** Estimated size of a stored message in addition to its content. */
	private static final long STORED_COST = 512;

	private final ActiveMQServer server;

	private final Holdings holdings;

	RetainedMessages(ActiveMQServer server, ClientShare unclaimed, LongSupplier nanoTime) {
		this.server = server;
		this.holdings = new Holdings(MemoryUse.RETAINED, unclaimed, nanoTime);
	}

	/** Returns the estimated heap of a retained message without its payload. */
	static long cost(String topic) {
		return COST + BYTES_PER_CHARACTER * topic.length();
	}

	/**
	 * Reserves memory for a message that replaces the retained message of a topic.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @param address the address of the topic in Artemis
	 * @param size size of the message in bytes, 0 without a payload
	 * @return whether the memory is reserved
	 */
	boolean tryRetain(ClientShare memory, String topic, String address, long size) {
		String queue = MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX + address;
		Holding known = this.holdings.get(queue);
		if (size == 0 && known != null) {
			this.holdings.use(known);
			known.setCleared(true);
			return true;
		}
		return this.holdings.tryReplace(memory, queue, cost(topic) + size, size == 0);
	}

	/** Handles the creation of a queue. */
	void created(String queue) {
		this.holdings.adopt(queue, cost(queue));
	}

	/** Handles the removal of a queue, which may be of another kind. */
	void removed(String queue) {
		this.holdings.release(queue);
	}

	/**
	 * Returns the size of the messages that match a filter.
	 * @param filter topic filter of a client
	 * @param wildcards wildcard characters of the server
	 * @return size on the disk in bytes
	 */
	long storedBytes(String filter, WildcardConfiguration wildcards) {
		String name = MQTTUtil.getCoreRetainAddressFromMqttTopic(filter, wildcards);
		if (!TopicFilter.hasWildcard(filter)) {
			return storedBytes(name);
		}
		String prefix = literalPrefix(name, wildcards);
		LongAdder bytes = new LongAdder();
		this.holdings.forEach((queue, holding) -> {
			if (queue.startsWith(prefix) && matches(filter, queue, wildcards)) {
				bytes.add(storedBytes(queue));
			}
		});
		return bytes.sum();
	}

	private long storedBytes(String name) {
		Queue queue = this.server.locateQueue(name);
		long size = (queue != null) ? queue.getPersistentSize() : 0;
		return (size > 0) ? STORED_COST + size : 0;
	}

	private static String literalPrefix(String name, WildcardConfiguration wildcards) {
		int end = MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX.length();
		while (end < name.length() && name.charAt(end) != wildcards.getSingleWord()
				&& name.charAt(end) != wildcards.getAnyWords()) {
			end++;
		}
		// The filter a/# also matches the topic a.
		boolean all = end > MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX.length() && end < name.length();
		return name.substring(0, all ? end - 1 : end);
	}

	private static boolean matches(String filter, String queue, WildcardConfiguration wildcards) {
		String address = queue.substring(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX.length());
		return TopicFilter.matches(filter, MQTTUtil.getMqttTopicFromCoreAddress(address, wildcards));
	}

	/** Removes queues without messages, and corrects the size of messages. */
	void sweep() {
		this.holdings.forEachIdle(TopicLedger.IDLE, this::sweep);
	}

	private void sweep(String name, Holding holding) {
		Queue queue = this.server.locateQueue(name);
		if (queue == null) {
			if (this.holdings.isIdle(holding, TopicLedger.CREATION_TIMEOUT)) {
				this.holdings.release(name);
			}
		}
		else if (queue.getMessageCount() == 0) {
			sweepEmpty(queue, name, holding);
		}
		else {
			holding.foundMessage();
			long missing = COST + queue.getPersistentSize() - holding.bytes();
			if (missing > 0) {
				this.holdings.grow(name, holding, missing);
			}
		}
	}

	/**
	 * Removes the queue of a retained message that was cleared or has expired. The queue
	 * is also empty while Artemis replaces a message, and before the first one is stored.
	 */
	private void sweepEmpty(Queue queue, String name, Holding holding) {
		boolean again = holding.foundEmpty();
		Duration limit = holding.isCleared() ? TopicLedger.IDLE : TopicLedger.CREATION_TIMEOUT;
		if (again && this.holdings.isIdle(holding, limit) && this.holdings.get(name) == holding
				&& queue.getMessageCount() == 0) {
			Removal.attempt(() -> this.server.destroyQueue(queue.getName(), null, true, false, true));
		}
	}

}
