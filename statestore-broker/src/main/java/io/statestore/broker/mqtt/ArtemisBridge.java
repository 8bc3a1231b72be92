package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.message.impl.CoreMessage;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTConnection;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Consumer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.reader.MessageUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access of connection handlers to Artemis. */
final class ArtemisBridge {

	/** No id of a client in Artemis: a subscriber with "no local" is not the sender. */
	private static final String SENDER = "$statestore";

	private static final Logger logger = LoggerFactory.getLogger(ArtemisBridge.class);

	private static final int PROPERTIES_SIZE_ESTIMATE = 512;

	private final ActiveMQServer server;

	ArtemisBridge(ActiveMQServer server) {
		this.server = server;
	}

	/** Make the subscriptions of a session that goes on known. */
	void copySubscriptions(String clientId, Subscriptions target) {
		MQTTSessionState session = sessions().get(QueueNames.clientId(clientId));
		if (session != null) {
			session.getSubscriptionsPlusID()
				.forEach((filter, item) -> target.add(filter, item.getSubscription().option().qos().value(),
						item.getId()));
		}
	}

	/** Returns a copy of all sessions by client id. */
	Map<String, MQTTSessionState> sessions() {
		return manager().getSessionStates();
	}

	/**
	 * Ends sessions that are attached to a connection that has ended. Artemis leaves them
	 * behind if it notices the end before it executes the CONNECT.
	 * @param clientIds the clients to look at
	 * @param suspects clients for which that was the case before
	 * @return clients for which that is the case now
	 */
	Set<String> endAbandoned(Set<String> clientIds, Set<String> suspects) {
		Map<String, MQTTConnection> connections = manager().getConnectedClients();
		Set<String> abandoned = new HashSet<>();
		clientIds.forEach((clientId) -> {
			MQTTConnection connection = connections.get(clientId);
			if (connection != null && !connection.getTransportConnection().isOpen()) {
				abandoned.add(clientId);
				if (suspects.contains(clientId)) {
					// It may wait for the thread that is ending the session.
					this.server.getThreadPool()
						.execute(() -> connection
							.fail(new ActiveMQException("The connection had ended before its CONNECT was executed")));
				}
			}
		});
		return abandoned;
	}

	/**
	 * Lets a session without a connection expire. Artemis ends it at its next scan.
	 * @param session the session
	 */
	static void expire(MQTTSessionState session) {
		if (!session.isAttached()) {
			session.setClientSessionExpiryInterval(1);
			session.setDisconnectedTime(1);
		}
	}

	/**
	 * Moves the will of a session from a pooled buffer to the heap.
	 * @param clientId of the client, which has a session
	 */
	void moveWillToHeap(String clientId) {
		MQTTSessionState session = session(clientId);
		ByteBuf will = session.getWillMessage();
		if (will != null && will.refCnt() > 0) {
			session.setWillMessage(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(will)));
			will.release();
		}
	}

	/**
	 * Returns the name of the queue of a subscription.
	 * @param clientId of the subscriber in Artemis
	 * @param filter of the subscription in Artemis
	 */
	String queueName(String clientId, String filter) {
		return QueueNames.of(clientId, filter, this.server.getConfiguration().getWildcardConfiguration());
	}

	/**
	 * Stops deliveries to a connection, and waits until present ones end.
	 * @param connectionId of the connection in Artemis
	 * @param queues names of the queues from which deliveries stop
	 */
	void stopDelivery(Object connectionId, Set<String> queues) {
		if (queues.isEmpty()) {
			return;
		}
		for (ServerSession session : this.server.getSessions(connectionId.toString())) {
			session.getServerConsumers()
				.stream()
				.filter((consumer) -> queues.contains(consumer.getQueue().getName().toString()))
				.forEach((consumer) -> consumer.setStarted(false));
		}
	}

	/** Returns the names of the queues of all subscriptions. */
	Stream<String> subscriptionQueues() {
		return this.server.getPostOffice()
			.getAllBindings()
			.filter(LocalQueueBinding.class::isInstance)
			.map((binding) -> binding.getUniqueName().toString())
			.filter(QueueNames::isSubscription);
	}

	boolean hasConsumers(String queue) {
		Queue located = this.server.locateQueue(queue);
		return located != null && located.getConsumerCount() > 0;
	}

	/**
	 * Removes the consumers and the messages of a queue.
	 * @param name of the queue
	 * @param unused returns whether the queue has no subscription. Stops if it gets one.
	 */
	void emptyQueue(String name, BooleanSupplier unused) {
		Queue queue = this.server.locateQueue(name);
		if (queue == null) {
			return;
		}
		Collection<Consumer> consumers = queue.getConsumers();
		try {
			if (unused.getAsBoolean()) {
				consumers.forEach(Consumer::disconnect);
			}
			queue.deleteMatchingReferences(new ConditionFilter(unused));
		}
		catch (Exception ex) {
			logger.debug("Could not empty queue {}", name, ex);
		}
	}

	/**
	 * Removes a queue with its messages and consumers.
	 * @param name of the queue
	 */
	void removeQueue(String name) {
		try {
			this.server.destroyQueue(SimpleString.of(name), null, false, true, true);
		}
		catch (Exception ex) {
			logger.debug("Could not remove queue {}", name, ex);
		}
	}

	private MQTTSessionState session(String clientId) {
		try {
			return manager().getSessionState(clientId);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Could not read the MQTT session of '" + clientId + "'", ex);
		}
	}

	private MQTTStateManager manager() {
		try {
			return MQTTStateManager.getInstance(this.server);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Could not read the MQTT sessions", ex);
		}
	}

	/**
	 * Publishes a reply as an ordinary message to the subscribers of its topic.
	 */
	void publish(OutgoingMessage message) {
		ICoreMessage core = toCore(message);
		try {
			this.server.getPostOffice().route(core, false);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Could not publish a reply on '" + message.topic() + "'", ex);
		}
	}

	/** The form that the broker itself gives to a PUBLISH that comes in. */
	private ICoreMessage toCore(OutgoingMessage message) {
		CoreMessage core = new CoreMessage(this.server.getStorageManager().generateID(),
				message.payload().length + PROPERTIES_SIZE_ESTIMATE);
		core.setAddress(SimpleString.of(MQTTUtil.getCoreAddressFromMqttTopic(message.topic(),
				this.server.getConfiguration().getWildcardConfiguration())));
		core.setRoutingType(RoutingType.MULTICAST);
		core.setType(Message.BYTES_TYPE);
		core.setDurable(MQTTUtil.DURABLE_MESSAGES);
		core.setTimestamp(System.currentTimeMillis());
		core.putStringProperty(MessageUtil.CONNECTION_ID_PROPERTY_NAME, SimpleString.of(SENDER));
		core.putBooleanProperty(MQTTUtil.MQTT_MESSAGE_RETAIN_KEY, false);
		core.putIntProperty(MQTTUtil.MQTT_QOS_LEVEL_KEY, 1);
		core.putIntProperty(MQTTUtil.MQTT_PAYLOAD_FORMAT_INDICATOR_KEY, 0);
		core.putStringProperty(MQTTUtil.MQTT_CONTENT_TYPE_KEY, SimpleString.of(OwnPublish.CONTENT_TYPE));
		if (message.correlationData() != null) {
			core.putBytesProperty(MQTTUtil.MQTT_CORRELATION_DATA_KEY, message.correlationData().toArray());
		}
		List<UserProperty> properties = message.userProperties();
		if (!properties.isEmpty()) {
			core.putIntProperty(MQTTUtil.MQTT_USER_PROPERTY_EXISTS_KEY, properties.size());
		}
		for (int i = 0; i < properties.size(); i++) {
			core.putStringProperty(MQTTUtil.MQTT_USER_PROPERTY_KEY_PREFIX + i + '.' + properties.get(i).name(),
					properties.get(i).value());
		}
		core.getBodyBuffer().writeBytes(message.payload());
		return core;
	}

}
