package io.statestore.broker.artemis.session;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.statestore.broker.artemis.disk.StoredSession;
import io.statestore.broker.artemis.disk.StoredSubscription;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTConnection;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.jspecify.annotations.Nullable;

/** Access to the MQTT sessions of Artemis. Thread-safe. */
final class SessionStates {

	private static final Field SESSIONS = sessions();

	private final ActiveMQServer server;

	private final ArtemisQueues queues;

	SessionStates(ActiveMQServer server, ArtemisQueues queues) {
		this.server = server;
		this.queues = queues;
	}

	private static Field sessions() {
		try {
			Field field = MQTTStateManager.class.getDeclaredField("sessionStates");
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException("Not supported with this version of Artemis: " + MQTTStateManager.class,
					ex);
		}
	}

	/** Returns a copy of all sessions, by client id in Artemis. */
	Map<String, MQTTSessionState> all() {
		return manager().getSessionStates();
	}

	/**
	 * Passes the subscriptions of a session to a consumer.
	 * @param clientId id of the client as the client sent it
	 * @param target receives the subscriptions, none if the client has no session
	 */
	void copySubscriptions(String clientId, SubscriptionConsumer target) {
		MQTTSessionState session = find(QueueNames.clientId(clientId));
		if (session != null) {
			session.getSubscriptionsPlusID()
				.forEach((filter, item) -> target.accept(filter, item.getSubscription().option().qos().value(),
						item.getId()));
		}
	}

	/** Returns the subscriptions of a session, by filter. */
	static Map<String, StoredSubscription> subscriptions(MQTTSessionState session) {
		Map<String, StoredSubscription> subscriptions = new HashMap<>();
		session.getSubscriptionsPlusID().forEach((filter, item) -> {
			MqttSubscriptionOption option = item.getSubscription().option();
			subscriptions.put(filter, new StoredSubscription(filter, option.qos().value(), option.isNoLocal(),
					option.isRetainAsPublished(), option.retainHandling().value(), item.getId()));
		});
		return subscriptions;
	}

	/**
	 * Creates a session without a connection, as an earlier process has stored it. It
	 * does not expire in Artemis, which cannot end a session that never had a connection.
	 * @param clientId id of the client in Artemis
	 * @param stored the stored session
	 */
	void recover(String clientId, StoredSession stored) {
		MQTTSessionState session = create(clientId);
		session.setClientSessionExpiryInterval(StoredSession.NEVER);
		session.setDisconnectedTime(System.currentTimeMillis());
		session.getPubRec().addAll(stored.received());
		for (StoredSubscription subscription : stored.subscriptions().values()) {
			MqttSubscriptionOption option = new MqttSubscriptionOption(MqttQoS.valueOf(subscription.qos()),
					subscription.noLocal(), subscription.retainAsPublished(),
					RetainedHandlingPolicy.valueOf(subscription.retainHandling()));
			try {
				session.addSubscription(new MqttTopicSubscription(subscription.filter(), option),
						this.server.getConfiguration().getWildcardConfiguration(), subscription.identifier());
			}
			catch (Exception ex) {
				throw new IllegalStateException("Failed to recover the MQTT session of client '" + clientId + "'", ex);
			}
		}
	}

	/**
	 * Returns whether a session was recovered and has had no connection since.
	 * @param session the session
	 */
	static boolean isRecovered(MQTTSessionState session) {
		return session.getSession() == null;
	}

	/**
	 * Removes a session that was recovered and has had no connection since, with its
	 * messages. Shared subscriptions may have other members.
	 */
	void remove(MQTTSessionState session) {
		String clientId = session.getClientId();
		session.getSubscriptionsPlusID()
			.keySet()
			.stream()
			.map((filter) -> this.queues.name(clientId, filter))
			.filter((queue) -> clientId.equals(QueueNames.owner(queue)))
			.forEach(this.queues::remove);
		this.queues.remove(QueueNames.acknowledgments(clientId));
		try {
			manager().removeSessionState(clientId);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to end the MQTT session of client '" + clientId + "'", ex);
		}
	}

	/** Returns whether a connection is the latest one of a client. */
	boolean isConnected(String clientId, RemotingConnection connection) {
		return manager().getConnectedClients().get(clientId) == connection;
	}

	/** Returns whether at least one client is connected. */
	boolean hasConnectedClients() {
		return !manager().getConnectedClients().isEmpty();
	}

	/**
	 * Ends sessions that are attached to a closed connection. Artemis leaves them behind
	 * if the connection closes before Artemis executes its CONNECT.
	 * @param clientIds ids in Artemis of the clients to check
	 * @param suspects clients whose session was in this state at the previous check. Only
	 * their sessions are ended.
	 * @return clients whose session is in this state now
	 */
	Set<String> endAbandoned(Set<String> clientIds, Set<String> suspects) {
		Map<String, MQTTConnection> connections = manager().getConnectedClients();
		Set<String> abandoned = new HashSet<>();
		clientIds.forEach((clientId) -> {
			MQTTConnection connection = connections.get(clientId);
			if (connection != null && !connection.getTransportConnection().isOpen()) {
				abandoned.add(clientId);
				if (suspects.contains(clientId)) {
					// May block until the thread that is ending the session finishes.
					this.server.getThreadPool()
						.execute(() -> connection
							.fail(new ActiveMQException("The connection had ended before its CONNECT was executed")));
				}
			}
		});
		return abandoned;
	}

	/**
	 * Lets a session without a connection expire. Artemis ends it at its next scan. Has
	 * no effect on a session with a connection.
	 * @param session the session, which has had a connection in this process
	 */
	void expire(MQTTSessionState session) {
		if (!session.isAttached()) {
			session.setClientSessionExpiryInterval(1);
			session.setDisconnectedTime(1);
		}
	}

	/**
	 * Moves the will of a session from a pooled buffer to the heap.
	 * @param clientId id in Artemis of a client that has a session
	 */
	void moveWillToHeap(String clientId) {
		MQTTSessionState session = find(clientId);
		ByteBuf will = (session != null) ? session.getWillMessage() : null;
		if (session != null && will != null && will.refCnt() > 0) {
			session.setWillMessage(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(will)));
			will.release();
		}
	}

	/**
	 * Returns the session of a client, or {@code null} if there is none. Artemis 2.43 has
	 * no method that neither creates a session nor copies all of them.
	 */
	@Nullable MQTTSessionState find(String clientId) {
		try {
			return (MQTTSessionState) ((Map<?, ?>) SESSIONS.get(manager())).get(clientId);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to read the MQTT session of client '" + clientId + "'", ex);
		}
	}

	private MQTTSessionState create(String clientId) {
		try {
			return manager().getSessionState(clientId);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to create the MQTT session of client '" + clientId + "'", ex);
		}
	}

	private MQTTStateManager manager() {
		try {
			return MQTTStateManager.getInstance(this.server);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to read the MQTT sessions", ex);
		}
	}

}
