package io.statestore.broker.mqtt;

import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.PagingManager;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.impl.QueueFactoryImpl;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.jspecify.annotations.Nullable;

/**
 * Creates the queues of Artemis. Those that hold a retained message show it at once.
 * Artemis 2.43 adds messages to a queue on another thread, after the PUBACK, and
 * meanwhile a new subscription does not find the retained message.
 */
final class RetainedMessageQueues extends QueueFactoryImpl {

	/**
	 * Creates a factory.
	 * @param server started server, in which the factory replaces the previous one
	 */
	RetainedMessageQueues(ActiveMQServer server) {
		super(server.getExecutorFactory(), server.getScheduledPool(), server.getAddressSettingsRepository(),
				server.getStorageManager(), server);
		setPostOffice(server.getPostOffice());
	}

	@Override
	public Queue createQueueWith(QueueConfiguration configuration, PagingManager pagingManager,
			@Nullable Filter filter) {
		// Names of subscription queues end with the topic: they differ from the address.
		if (!configuration.getName().toString().startsWith(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX)
				|| !configuration.getName().equals(configuration.getAddress())) {
			return super.createQueueWith(configuration, pagingManager, filter);
		}
		Queue queue = new RetainedMessageQueue(configuration, filter,
				getPageSubscription(configuration, pagingManager, filter));
		this.server.getCriticalAnalyzer().add(queue);
		return queue;
	}

	/** A queue without consumers. New subscriptions copy its last message. */
	private final class RetainedMessageQueue extends QueueImpl {

		private RetainedMessageQueue(QueueConfiguration configuration, @Nullable Filter filter,
				@Nullable PageSubscription pages) {
			super(configuration, filter, (pages != null) ? pages.getPagingStore() : null, pages,
					RetainedMessageQueues.this.scheduledExecutor, RetainedMessageQueues.this.postOffice,
					RetainedMessageQueues.this.storageManager, RetainedMessageQueues.this.addressSettingsRepository,
					RetainedMessageQueues.this.executorFactory.getExecutor(), RetainedMessageQueues.this.server,
					RetainedMessageQueues.this);
		}

		@Override
		public void addTail(MessageReference reference, boolean direct) {
			reload(reference);
		}

	}

}
