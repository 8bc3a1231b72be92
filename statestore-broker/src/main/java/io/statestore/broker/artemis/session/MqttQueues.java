package io.statestore.broker.artemis.session;

import java.util.function.Predicate;

import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.PagingManager;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.RoutingContext;
import org.apache.activemq.artemis.core.server.impl.QueueFactoryImpl;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the queues of Artemis. Its queues avoid three defects of Artemis 2.43:
 * <ul>
 * <li>A new subscription does not find a retained message for a moment after its PUBACK,
 * because Artemis adds messages to a queue on another thread.
 * <li>A SUBSCRIBE that fails, for instance because its connection ends, removes the queue
 * of the subscription. The queue may belong to a session that continues, or to other
 * members of a shared subscription. They would receive no further messages.
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
	 */
	MqttQueues(ActiveMQServer server, OrphanedQueues orphans, Predicate<String> storedSessions) {
		super(server.getExecutorFactory(), server.getScheduledPool(), server.getAddressSettingsRepository(),
				server.getStorageManager(), server);
		this.orphans = orphans;
		this.storedSessions = storedSessions;
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
		Queue queue = QueueNames.isRetained(name) ? new RetainedMessageQueue(configuration, filter, pages)
				: new SubscriptionQueue(configuration, filter, pages);
		this.server.getCriticalAnalyzer().add(queue);
		return queue;
	}

	private boolean isStored(String name) {
		String owner = QueueNames.owner(name);
		return owner == null || this.storedSessions.test(owner);
	}

	/** A queue with the settings of this factory. */
	private class MqttQueue extends QueueImpl {

		MqttQueue(QueueConfiguration configuration, @Nullable Filter filter, @Nullable PageSubscription pages) {
			super(configuration, filter, (pages != null) ? pages.getPagingStore() : null, pages,
					MqttQueues.this.scheduledExecutor, MqttQueues.this.postOffice, MqttQueues.this.storageManager,
					MqttQueues.this.addressSettingsRepository, MqttQueues.this.executorFactory.getExecutor(),
					MqttQueues.this.server, MqttQueues.this);
		}

	}

	/** A queue without consumers. New subscriptions copy its last message. */
	private final class RetainedMessageQueue extends MqttQueue {

		RetainedMessageQueue(QueueConfiguration configuration, @Nullable Filter filter,
				@Nullable PageSubscription pages) {
			super(configuration, filter, pages);
		}

		/** Stores messages of QoS 0 as well. */
		@Override
		public void route(Message message, RoutingContext context) throws Exception {
			if (MqttQueues.this.server.getConfiguration().isPersistenceEnabled()) {
				message.setDurable(true);
			}
			super.route(message, context);
		}

		/** Adds a message on the calling thread. */
		@Override
		public void addTail(MessageReference reference, boolean direct) {
			reload(reference);
			// Removes the message if the queue was removed meanwhile.
			deliverAsync();
		}

	}

	/** A queue that is not removed while a session may need it. */
	private final class SubscriptionQueue extends MqttQueue {

		SubscriptionQueue(QueueConfiguration configuration, @Nullable Filter filter, @Nullable PageSubscription pages) {
			super(configuration, filter, pages);
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
