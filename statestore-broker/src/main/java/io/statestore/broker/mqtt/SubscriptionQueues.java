package io.statestore.broker.mqtt;

import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.PagingManager;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.postoffice.PostOffice;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.QueueFactory;
import org.apache.activemq.artemis.core.server.impl.QueueFactoryImpl;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.jspecify.annotations.Nullable;

/**
 * Creates queues of subscriptions that a failed SUBSCRIBE does not remove. Artemis 2.43
 * removes the queue of a subscription if it cannot create a consumer, for instance
 * because the connection ends. The queue may belong to a session that continues, or to
 * other members of a shared subscription, which would not receive anything after that.
 * {@link OrphanedQueues} removes the queue if no session needs it.
 */
final class SubscriptionQueues implements QueueFactory {

	private final ActiveMQServer server;

	private final QueueFactory others;

	/**
	 * Creates a factory.
	 * @param server started server, whose present factory creates all other queues
	 */
	SubscriptionQueues(ActiveMQServer server) {
		this.server = server;
		this.others = server.getQueueFactory();
	}

	@Override
	public Queue createQueueWith(QueueConfiguration configuration, PagingManager pagingManager, @Nullable Filter filter)
			throws Exception {
		if (!QueueNames.isSubscription(configuration.getName().toString())) {
			return this.others.createQueueWith(configuration, pagingManager, filter);
		}
		Queue queue = new SubscriptionQueue(configuration, filter,
				QueueFactoryImpl.getPageSubscription(configuration, pagingManager, filter));
		this.server.getCriticalAnalyzer().add(queue);
		return queue;
	}

	@Override
	public void setPostOffice(PostOffice postOffice) {
		this.others.setPostOffice(postOffice);
	}

	@Override
	public void queueRemoved(Queue queue) {
		this.server.getCriticalAnalyzer().remove(queue);
	}

	private final class SubscriptionQueue extends QueueImpl {

		private SubscriptionQueue(QueueConfiguration configuration, @Nullable Filter filter,
				@Nullable PageSubscription pages) {
			super(configuration, filter, (pages != null) ? pages.getPagingStore() : null, pages,
					SubscriptionQueues.this.server.getScheduledPool(), SubscriptionQueues.this.server.getPostOffice(),
					SubscriptionQueues.this.server.getStorageManager(),
					SubscriptionQueues.this.server.getAddressSettingsRepository(),
					SubscriptionQueues.this.server.getExecutorFactory().getExecutor(), SubscriptionQueues.this.server,
					SubscriptionQueues.this);
		}

		/** Called only after a failed SUBSCRIBE. All other removals have a parameter. */
		@Override
		public void deleteQueue() {
			// See the class comment.
		}

	}

}
