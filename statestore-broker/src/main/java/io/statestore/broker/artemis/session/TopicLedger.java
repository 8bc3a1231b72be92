package io.statestore.broker.artemis.session;

import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.WildcardConfiguration;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.security.SecurityAuth;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.impl.AddressInfo;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerAddressPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerQueuePlugin;
import org.jspecify.annotations.Nullable;

/**
 * Memory of topics and retained messages. Artemis creates an address for each topic on
 * which a message is published, and a queue for each retained message. It reports their
 * creation and removal to this plugin. Sweeps remove unused ones, because Artemis keeps
 * addresses without subscribers forever. Thread-safe, except that one thread at a time
 * may sweep.
 */
final class TopicLedger implements ActiveMQServerAddressPlugin, ActiveMQServerQueuePlugin {

	/** Measured heap of a topic: 620 bytes and four copies of its name. */
	static final long TOPIC_COST = 1024;

	/** Estimated heap of each character of a topic, which has several copies. */
	private static final long BYTES_PER_CHARACTER = 8;

	/** Time without messages after which an unused topic is removed. */
	static final Duration IDLE = Duration.ofSeconds(2);

	/** Maximum time between a reservation and the creation of its queue or address. */
	static final Duration CREATION_TIMEOUT = Duration.ofMinutes(1);

	private final ActiveMQServer server;

	private final Holdings topics;

	private final RetainedMessages retained;

	/** Queues in which Artemis keeps the acknowledgments of QoS 2. */
	private final Holdings acknowledgments;

	/**
	 * Creates an empty ledger.
	 * @param server the Artemis server
	 * @param budget limits the memory of clients
	 * @param nanoTime returns monotonic time in nanoseconds
	 */
	TopicLedger(ActiveMQServer server, MemoryBudget budget, LongSupplier nanoTime) {
		this.server = server;
		ClientShare unclaimed = budget.open();
		this.topics = new Holdings(MemoryUse.TOPIC, unclaimed, nanoTime);
		this.retained = new RetainedMessages(server, unclaimed, nanoTime);
		this.acknowledgments = new Holdings(MemoryUse.SESSION, unclaimed, nanoTime);
	}

	/**
	 * Reserves memory for a topic, unless it is already in use.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @return whether the memory is reserved
	 */
	boolean tryPublish(ClientShare memory, String topic) {
		return tryUse(memory, address(topic));
	}

	private boolean tryUse(ClientShare memory, String address) {
		return this.topics.tryUse(memory, address, cost(address));
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
		boolean known = this.topics.get(address) != null;
		if (!tryUse(memory, address)) {
			return false;
		}
		boolean reserved = this.retained.tryRetain(memory, topic, address, size);
		if (!reserved && !known) {
			this.topics.releaseIf(address, (added) -> added.memory() == memory
					&& this.server.getAddressInfo(SimpleString.of(address)) == null);
		}
		return reserved;
	}

	/**
	 * Reserves memory for a message that replaces the retained message of a topic.
	 * @param memory the share of the publisher
	 * @param topic the topic of its message
	 * @param size size of the message in bytes, 0 without a payload
	 * @return whether the memory is reserved
	 */
	boolean tryRetain(ClientShare memory, String topic, long size) {
		return this.retained.tryRetain(memory, topic, address(topic), size);
	}

	/**
	 * Returns the size of the retained messages of which a subscription receives copies.
	 * @param filter topic filter, without the name of a shared subscription
	 * @return size on the disk in bytes
	 */
	long retainedBytes(String filter) {
		return this.retained.storedBytes(filter, this.server.getConfiguration().getWildcardConfiguration());
	}

	private static long cost(String address) {
		return TOPIC_COST + BYTES_PER_CHARACTER * address.length();
	}

	private String address(String topic) {
		WildcardConfiguration wildcards = this.server.getConfiguration().getWildcardConfiguration();
		return MQTTUtil.getCoreAddressFromMqttTopic(topic, wildcards);
	}

	@Override
	public void afterAddAddress(AddressInfo address, boolean reload) {
		if (address.isAutoCreated()) {
			String name = address.getName().toString();
			this.topics.adopt(name, cost(name));
		}
	}

	/** Reserves the memory of recovered queues, even above the limits. */
	void recovered() {
		this.server.getPostOffice().getAllBindings().forEach((binding) -> {
			if (binding instanceof LocalQueueBinding queue) {
				afterCreateQueue(queue.getQueue());
			}
		});
	}

	@Override
	public void afterRemoveAddress(SimpleString address, @Nullable AddressInfo info) {
		this.topics.release(address.toString());
	}

	@Override
	public void afterCreateQueue(Queue queue) {
		String name = queue.getName().toString();
		if (QueueNames.isRetained(name)) {
			this.retained.created(name);
		}
		else if (QueueNames.isAcknowledgments(name)) {
			this.acknowledgments.adopt(name, SessionSubscriptions.COST);
		}
	}

	@Override
	public void afterDestroyQueue(Queue queue, SimpleString address, @Nullable SecurityAuth session,
			boolean checkConsumerCount, boolean removeConsumers, boolean autoDeleteAddress) {
		String name = queue.getName().toString();
		this.retained.removed(name);
		this.acknowledgments.release(name);
	}

	/**
	 * Removes unused topics and queues, and corrects the size of retained messages.
	 * @param clientIds ids in Artemis of all clients that have a session
	 */
	void sweep(Set<String> clientIds) {
		this.acknowledgments.forEach((name, holding) -> sweepAcknowledgments(name, holding, clientIds));
		this.retained.sweep();
		this.topics.forEachIdle(IDLE, this::sweepTopic);
	}

	/** Removes a queue that Artemis leaves behind after a session was continued. */
	private void sweepAcknowledgments(String name, Holding holding, Set<String> clientIds) {
		if (clientIds.contains(name.substring(MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX.length()))) {
			this.acknowledgments.use(holding);
		}
		else if (this.acknowledgments.isIdle(holding, IDLE)) {
			Removal.attempt(() -> this.server.destroyQueue(SimpleString.of(name), null, true, false, true));
		}
	}

	private void sweepTopic(String name, Holding holding) {
		SimpleString address = SimpleString.of(name);
		if (this.server.getAddressInfo(address) == null) {
			if (this.topics.isIdle(holding, CREATION_TIMEOUT)) {
				this.topics.release(name);
			}
			return;
		}
		Removal.attempt(() -> {
			if (this.server.getPostOffice().getDirectBindings(address).isEmpty()) {
				this.server.removeAddressInfo(address, null);
			}
		});
	}

}
