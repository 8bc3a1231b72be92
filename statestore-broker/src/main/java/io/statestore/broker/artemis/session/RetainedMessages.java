package io.statestore.broker.artemis.session;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
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
