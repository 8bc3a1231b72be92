package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.WildcardConfiguration;
import org.apache.activemq.artemis.core.postoffice.PostOffice;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.security.SecurityAuth;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.impl.AddressInfo;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerAddressPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerQueuePlugin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of topics and retained messages. Artemis creates an address for each topic on
 * which a message is published, and a queue for each retained message. It reports their
 * creation and removal. Unused ones are removed here, because Artemis keeps addresses
 * without subscribers forever. Thread-safe.
 */
final class TopicLedger implements ActiveMQServerAddressPlugin, ActiveMQServerQueuePlugin {

	/** Measured heap of a topic: 620 bytes and four copies of its name. */
	static final long TOPIC_COST = 1024;

	/** Measured heap of a retained message without its payload: 28 KB. */
	static final long RETAINED_COST = 30 * 1024;

	/** Estimated heap of each character of a topic, which has several copies. */
	static final long BYTES_PER_CHARACTER = 8;

	/** Time without messages after which an unused topic is removed. */
	static final Duration IDLE = Duration.ofSeconds(2);

	/** Maximum time between a reservation and the creation of its queue or address. */
	private static final Duration LOST = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(TopicLedger.class);

	private final Map<String, Holding> topics = new ConcurrentHashMap<>();

	private final Map<String, Holding> retained = new ConcurrentHashMap<>();

	/** Queues in which Artemis keeps the acknowledgments of QoS 2. */
	private final Map<String, Holding> acknowledgments = new ConcurrentHashMap<>();

	private final ActiveMQServer server;

	private final LongSupplier nanoTime;

	/** Share for memory that no client has requested, such as topics of wills. */
	private final ClientShare unlimited;

	TopicLedger(ActiveMQServer server, MemoryBudget budget, LongSupplier nanoTime) {
		this.server = server;
		this.nanoTime = nanoTime;
		this.unlimited = budget.open();
	}

	/**
	 * Reserves memory for a topic, unless it is already in use.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @return whether the memory is reserved
	 */
	boolean tryPublish(ClientShare memory, String topic) {
		Holding known = this.topics.computeIfAbsent(address(topic), (address) -> {
			long bytes = topicCost(address);
			return memory.tryReserve(MemoryUse.TOPIC, bytes) ? new Holding(memory, bytes, now()) : null;
		});
		if (known != null) {
			known.usedAt = now();
		}
		return known != null;
	}

	/**
	 * Reserves memory for a retained message and its topic.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @param size size of the message in bytes, 0 without a payload
	 * @return whether the memory is reserved
	 */
	boolean tryPublishRetained(ClientShare memory, String topic, long size) {
		String address = address(topic);
		boolean known = this.topics.containsKey(address);
		if (!tryPublish(memory, topic)) {
			return false;
		}
		boolean reserved = tryRetain(memory, topic, size);
		if (!reserved && !known) {
			this.topics.computeIfPresent(address, (name, added) -> releaseUnused(memory, name, added));
		}
		return reserved;
	}

	private @Nullable Holding releaseUnused(ClientShare memory, String address, Holding added) {
		if (added.memory != memory || this.server.getAddressInfo(SimpleString.of(address)) != null) {
			return added;
		}
		memory.release(MemoryUse.TOPIC, added.bytes);
		return null;
	}

	/**
	 * Reserves memory for a message that replaces the retained message of a topic.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @param size size of the message in bytes, 0 without a payload
	 * @return whether the memory is reserved
	 */
	boolean tryRetain(ClientShare memory, String topic, long size) {
		String queue = MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX + address(topic);
		Holding known = this.retained.get(queue);
		if (size == 0 && known != null) {
			known.usedAt = now();
			known.cleared = true;
			return true;
		}
		Holding wanted = new Holding(memory, retainedCost(topic) + size, now());
		wanted.cleared = size == 0;
		return this.retained.compute(queue, (name, replaced) -> replace(replaced, wanted)) == wanted;
	}

	/** Returns the new holding, or the known one if memory is exhausted. */
	private static @Nullable Holding replace(@Nullable Holding known, Holding wanted) {
		long reusable = (known != null && known.memory == wanted.memory) ? known.bytes : 0;
		if (!wanted.memory.tryReserve(MemoryUse.RETAINED, Math.max(0, wanted.bytes - reusable))) {
			return known;
		}
		if (known != null) {
			long kept = Math.min(reusable, wanted.bytes);
			known.memory.release(MemoryUse.RETAINED, known.bytes - kept);
		}
		return wanted;
	}

	/** Returns the estimated heap of a retained message without its payload. */
	static long retainedCost(String topic) {
		return RETAINED_COST + BYTES_PER_CHARACTER * topic.length();
	}

	private static long topicCost(String address) {
		return TOPIC_COST + BYTES_PER_CHARACTER * address.length();
	}

	private String address(String topic) {
		WildcardConfiguration wildcards = this.server.getConfiguration().getWildcardConfiguration();
		return MQTTUtil.getCoreAddressFromMqttTopic(topic, wildcards);
	}

	private long now() {
		return this.nanoTime.getAsLong();
	}

	@Override
	public void afterAddAddress(AddressInfo address, boolean reload) {
		if (address.isAutoCreated()) {
			this.topics.computeIfAbsent(address.getName().toString(),
					(name) -> adopt(MemoryUse.TOPIC, topicCost(name)));
		}
	}

	@Override
	public void afterRemoveAddress(SimpleString address, @Nullable AddressInfo info) {
		release(this.topics, MemoryUse.TOPIC, address.toString());
	}

	@Override
	public void afterCreateQueue(Queue queue) {
		String name = queue.getName().toString();
		if (QueueNames.isRetained(name)) {
			this.retained.computeIfAbsent(name, (added) -> adopt(MemoryUse.RETAINED, retainedCost(added)));
		}
		else if (QueueNames.isAcknowledgments(name)) {
			this.acknowledgments.computeIfAbsent(name, (added) -> adopt(MemoryUse.SESSION, SessionSubscriptions.COST));
		}
	}

	@Override
	public void afterDestroyQueue(Queue queue, SimpleString address, @Nullable SecurityAuth session,
			boolean checkConsumerCount, boolean removeConsumers, boolean autoDeleteAddress) {
		release(this.retained, MemoryUse.RETAINED, queue.getName().toString());
		release(this.acknowledgments, MemoryUse.SESSION, queue.getName().toString());
	}

	private Holding adopt(MemoryUse use, long bytes) {
		this.unlimited.reserve(use, bytes);
		return new Holding(this.unlimited, bytes, now());
	}

	private static void release(Map<String, Holding> holdings, MemoryUse use, String name) {
		Holding removed = holdings.remove(name);
		if (removed != null) {
			removed.memory.release(use, removed.bytes);
		}
	}

	/**
	 * Removes unused topics and queues, and corrects the size of retained messages.
	 * @param clientIds ids of all clients that have a session
	 */
	void sweep(Set<String> clientIds) {
		this.acknowledgments.forEach((name, holding) -> sweepAcknowledgments(name, holding, clientIds));
		this.retained.forEach((name, holding) -> {
			if (isIdle(holding, IDLE)) {
				sweepRetained(name, holding);
			}
		});
		this.topics.forEach((name, holding) -> {
			if (isIdle(holding, IDLE)) {
				sweepTopic(name, holding);
			}
		});
	}

	/** Removes queues that Artemis leaves behind after a session was continued. */
	private void sweepAcknowledgments(String name, Holding holding, Set<String> clientIds) {
		if (clientIds.contains(name.substring(MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX.length()))) {
			holding.usedAt = now();
		}
		else if (isIdle(holding, IDLE)) {
			attempt(() -> this.server.destroyQueue(SimpleString.of(name), null, true, false, true));
		}
	}

	private boolean isIdle(Holding holding, Duration time) {
		return now() - holding.usedAt >= time.toNanos();
	}

	private void sweepRetained(String name, Holding holding) {
		Queue queue = this.server.locateQueue(name);
		if (queue == null) {
			if (isIdle(holding, LOST)) {
				release(this.retained, MemoryUse.RETAINED, name);
			}
		}
		else if (queue.getMessageCount() == 0) {
			sweepEmpty(queue, name, holding);
		}
		else {
			holding.emptySince = null;
			long missing = RETAINED_COST + queue.getPersistentSize() - holding.bytes;
			if (missing > 0) {
				this.retained.computeIfPresent(name, (key, known) -> (known == holding) ? known.grown(missing) : known);
			}
		}
	}

	/**
	 * Removes the queue of a retained message that was cleared or has expired. The queue
	 * is also empty while Artemis replaces a message, and before the first one is stored.
	 */
	private void sweepEmpty(Queue queue, String name, Holding holding) {
		Long usedAt = holding.usedAt;
		boolean seenBefore = usedAt.equals(holding.emptySince);
		holding.emptySince = usedAt;
		boolean over = isIdle(holding, holding.cleared ? IDLE : LOST);
		if (seenBefore && over && this.retained.get(name) == holding && queue.getMessageCount() == 0) {
			attempt(() -> this.server.destroyQueue(queue.getName(), null, true, false, true));
		}
	}

	private void sweepTopic(String name, Holding holding) {
		SimpleString address = SimpleString.of(name);
		AddressInfo info = this.server.getAddressInfo(address);
		if (info == null) {
			if (isIdle(holding, LOST)) {
				release(this.topics, MemoryUse.TOPIC, name);
			}
			return;
		}
		attempt(() -> {
			PostOffice postOffice = this.server.getPostOffice();
			if (postOffice.getDirectBindings(address).isEmpty()) {
				this.server.removeAddressInfo(address, null);
			}
		});
	}

	/** Attempts a removal, which may compete with another use or removal. */
	private static void attempt(Removal removal) {
		try {
			removal.run();
		}
		catch (ActiveMQException ex) {
			logger.debug("Could not remove an unused topic", ex);
		}
		catch (Exception ex) {
			logger.warn("Could not remove an unused topic", ex);
		}
	}

	private interface Removal {

		void run() throws Exception;

	}

	/** Reserved memory. */
	private static final class Holding {

		private final ClientShare memory;

		private final long bytes;

		private volatile long usedAt;

		/** Whether the latest message had no payload. */
		private volatile boolean cleared;

		/** Latest use when a sweep found the queue empty. Used only by the sweep. */
		private @Nullable Long emptySince;

		private Holding(ClientShare memory, long bytes, long usedAt) {
			this.memory = memory;
			this.bytes = bytes;
			this.usedAt = usedAt;
		}

		private Holding grown(long missing) {
			this.memory.reserve(MemoryUse.RETAINED, missing);
			Holding grown = new Holding(this.memory, this.bytes + missing, this.usedAt);
			grown.cleared = this.cleared;
			return grown;
		}

	}

}
