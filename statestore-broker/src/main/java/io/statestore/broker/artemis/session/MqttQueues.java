package io.statestore.broker.artemis.session;

import java.util.function.Predicate;

import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.PagingManager;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Consumer;
import org.apache.activemq.artemis.core.server.LargeServerMessage;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.RoutingContext;
import org.apache.activemq.artemis.core.server.impl.QueueFactoryImpl;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the queues of Artemis. Its queues avoid five defects of Artemis 2.43:
 * <ul>
 * <li>A new subscription does not find a retained message for a moment after its PUBACK,
 * because Artemis adds messages to a queue on another thread.
 * <li>A retained message remains although the same client has cleared it, and a cleared
 * one returns after a restart. Artemis does not find messages that wait for the disk.
 * <li>A SUBSCRIBE that fails, for instance because its connection ends, removes the queue
 * of the subscription. The queue may belong to a session that continues, or to other
 * members of a shared subscription. They would receive no further messages.
 * <li>Messages of a client remain in its own subscriptions with the option "no local".
 * <li>The end of a shared subscription in one session removes its queue if no other
 * member is connected. The messages of sessions without a connection would be lost.
 * </ul>
 * Because the queues ignore such removals, {@link OrphanedQueues} removes queues that no
 * session needs.
 */
final class MqttQueues extends QueueFactoryImpl {

	private final OrphanedQueues orphans;

	/** Returns whether the session of a client, by its id in Artemis, is stored. */
	private final Predicate<String> storedSessions;

	/** Replacements of retained messages, {@code null} if these are not stored. */
	private final @Nullable RetainedReplacements replacements;

	/**
	 * Whether queues of an earlier process are being created, all of which are stored.
	 */
	private volatile boolean recovering = true;

	/**
	 * Creates a factory.
	 * @param server started server, in which the factory replaces the previous one
	 * @param orphans removes queues of shared subscriptions
	 * @param storedSessions returns whether the session of a client, by its id in
	 * Artemis, is stored. The queues of other sessions are not
	 * @param replacements replacements of retained messages, or {@code null} if these are
	 * not stored
	 */
	MqttQueues(ActiveMQServer server, OrphanedQueues orphans, Predicate<String> storedSessions,
			@Nullable RetainedReplacements replacements) {
		super(server.getExecutorFactory(), server.getScheduledPool(), server.getAddressSettingsRepository(),
				server.getStorageManager(), server);
		this.orphans = orphans;
		this.storedSessions = storedSessions;
		this.replacements = replacements;
		setPostOffice(server.getPostOffice());
	}

	/** Handles the end of the recovery. */
	void recovered() {
		this.recovering = false;
	}

	@Override
	public Queue createQueueWith(QueueConfiguration configuration, PagingManager pagingManager,
			@Nullable Filter filter) {
		String name = configuration.getName().toString();
		if (!this.recovering && this.server.getConfiguration().isPersistenceEnabled()) {
			// The first member of a shared subscription must not decide it.
			configuration.setDurable(isStored(name));
		}
		if (!QueueNames.isRetained(name) && !QueueNames.isSubscription(name)) {
			return super.createQueueWith(configuration, pagingManager, filter);
		}
		PageSubscription pages = getPageSubscription(configuration, pagingManager, filter);
		Queue queue = QueueNames.isRetained(name) ? newRetainedQueue(configuration, filter, pages)
				: new SubscriptionQueue(configuration, filter, pages);
		this.server.getCriticalAnalyzer().add(queue);
		return queue;
	}

	private Queue newRetainedQueue(QueueConfiguration configuration, @Nullable Filter filter,
			@Nullable PageSubscription pages) {
		return (this.replacements != null)
				? new StoredRetainedQueue(configuration, filter, pages, this, this.server, this.replacements)
				: new RetainedMessageQueue(configuration, filter, pages);
	}

	private boolean isStored(String name) {
		String owner = QueueNames.owner(name);
		return owner == null || this.storedSessions.test(owner);
	}

	/** A queue without consumers. New subscriptions copy its last message. */
	private final class RetainedMessageQueue extends MqttQueue {

		RetainedMessageQueue(QueueConfiguration configuration, @Nullable Filter filter,
				@Nullable PageSubscription pages) {
			super(configuration, filter, pages, MqttQueues.this, MqttQueues.this.server);
		}

		/** Adds a message on the calling thread. */
		@Override
		public void addTail(MessageReference reference, boolean direct) {
			reload(reference);
			// Removes the message if the queue was removed meanwhile.
			deliverAsync();
		}

	}

	/**
	 * A queue that is not removed while a session may need it. It contains no messages
	 * that its client must not receive.
	 */
	private final class SubscriptionQueue extends MqttQueue {

		/**
		 * Filter of the latest consumer: {@code null}, or without messages of the client.
		 * Only the consumer of the subscription has one (MQTT 5 section 3.8.3.1).
		 */
		private volatile @Nullable Filter noLocal;

		SubscriptionQueue(QueueConfiguration configuration, @Nullable Filter filter, @Nullable PageSubscription pages) {
			super(configuration, filter, pages, MqttQueues.this, MqttQueues.this.server);
		}

		@Override
		public void addConsumer(Consumer consumer) throws Exception {
			if (QueueNames.owner(getName().toString()) != null) {
				this.noLocal = consumer.getFilter();
			}
			super.addConsumer(consumer);
		}

		/**
		 * Adds a message, unless its consumer would never receive it. It would remain in
		 * the queue, and count toward the size of the topic.
		 */
		@Override
		public void route(Message message, RoutingContext context) throws Exception {
			Filter noLocal = this.noLocal;
			if (noLocal == null) {
				super.route(message, context);
				return;
			}
			context.setReusable(false);
			if (noLocal.match(message)) {
				super.route(message, context);
			}
			else if (isRetainedCopy(message) && message instanceof LargeServerMessage large) {
				large.deleteFile();
			}
		}

		/** Returns whether a message is a copy for this queue alone. */
		private static boolean isRetainedCopy(Message message) {
			return message.containsProperty(MQTTUtil.MQTT_MESSAGE_RETAIN_INITIAL_DISTRIBUTION_KEY);
		}

		/**
		 * Does nothing. Artemis calls this method only after a failed SUBSCRIBE. All
		 * other removals have a parameter.
		 */
		@Override
		public void deleteQueue() {
			// OrphanedQueues removes the queue if no session needs it.
		}

		/**
		 * Removes the queue of an ordinary subscription. Leaves the queue of a shared one
		 * to {@link OrphanedQueues}, which removes it together with its consumers.
		 */
		@Override
		public void deleteQueue(boolean removeConsumers) throws Exception {
			String name = getName().toString();
			if (removeConsumers || QueueNames.owner(name) != null) {
				super.deleteQueue(removeConsumers);
			}
			else {
				MqttQueues.this.orphans.left(name);
			}
		}

	}

}
