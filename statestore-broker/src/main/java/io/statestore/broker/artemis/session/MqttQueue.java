package io.statestore.broker.artemis.session;

import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.core.paging.cursor.PageSubscription;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.QueueFactory;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.jspecify.annotations.Nullable;

/** A queue with the services of its server. */
abstract class MqttQueue extends QueueImpl {

	MqttQueue(QueueConfiguration configuration, @Nullable Filter filter, @Nullable PageSubscription pages,
			QueueFactory factory, ActiveMQServer server) {
		super(configuration, filter, (pages != null) ? pages.getPagingStore() : null, pages, server.getScheduledPool(),
				server.getPostOffice(), server.getStorageManager(), server.getAddressSettingsRepository(),
				server.getExecutorFactory().getExecutor(), server, factory);
	}

}
