package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.artemis.disk.SentMessage;
import io.statestore.broker.artemis.disk.SessionChange;
import io.statestore.broker.artemis.disk.SessionChange.Acknowledged;
import io.statestore.broker.artemis.disk.SessionChange.Sent;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSession;
import org.apache.activemq.artemis.api.core.Pair;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.postoffice.QueueBinding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.impl.AckReason;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConsumerPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packet identifiers of messages that subscribers have not acknowledged. They are stored,
 * so that a message has the same identifier and the DUP flag when it is sent again.
 * Shared subscriptions are an exception, because another member may receive the message.
 * <p>
 * Does not wait for the disk. After a power failure, the latest messages may be sent with
 * other identifiers. Thread-safe.
 */
final class SentMessages implements ActiveMQServerConsumerPlugin, ActiveMQServerMessagePlugin {

	private static final Logger logger = LoggerFactory.getLogger(SentMessages.class);

	private final SessionFile file;

	private final SessionStates states;

	/** Names of the queues of subscriptions, by the ids of their consumers. */
	private final ConcurrentMap<Long, String> queues = new ConcurrentHashMap<>();

	/** Consumers of subscriptions by their ids. */
	private final ConcurrentMap<Long, ServerConsumer> consumers = new ConcurrentHashMap<>();

	SentMessages(SessionFile file, SessionStates states) {
		this.file = file;
		this.states = states;
	}

	/** Assigns the stored identifiers to a consumer, before it receives messages. */
	@Override
	public void beforeCreateConsumer(long consumerId, QueueBinding binding, SimpleString filter, boolean browseOnly,
			boolean supportLargeMessage) {
		String queue = binding.getUniqueName().toString();
		String clientId = QueueNames.owner(queue);
		if (clientId == null || !QueueNames.isSubscription(queue)) {
			return;
		}
		this.queues.put(consumerId, queue);
		Map<Long, Integer> sent = sent(clientId, queue);
		if (!sent.isEmpty()) {
			Set<Integer> gone = markRepeated(binding.getQueue(), sent);
			if (!gone.isEmpty() && binding.getQueue().getDeliveringCount() == 0) {
				write(clientId, (session) -> acknowledged(clientId, gone));
				sent.values().removeAll(gone);
			}
			OutboundIds ids = ids(clientId);
			if (ids != null) {
				sent.forEach((messageId, packetId) -> ids.assign(packetId, messageId, consumerId));
			}
		}
	}

	/** Returns the identifiers of a client, or {@code null} without a session. */
	private @Nullable OutboundIds ids(String clientId) {
		MQTTSessionState session = this.states.find(clientId);
		return (session != null) ? OutboundIds.of(session) : null;
	}

	private static List<SessionChange> acknowledged(String clientId, Set<Integer> packetIds) {
		return packetIds.stream().<SessionChange>map((packetId) -> new Acknowledged(clientId, packetId)).toList();
	}

	/** Returns the identifiers of the messages from a queue, by ids of the messages. */
	private Map<Long, Integer> sent(String clientId, String queue) {
		Map<Long, Integer> sent = new HashMap<>();
		this.file.read(clientId, (session) -> session.sent().forEach((packetId, message) -> {
			if (message.queue().equals(queue)) {
				sent.put(message.messageId(), packetId);
			}
		}));
		return sent;
	}

	/**
	 * Counts the earlier delivery, so that Artemis sets the DUP flag. Returns the
	 * identifiers of messages that the queue does not contain.
	 */
	private static Set<Integer> markRepeated(Queue queue, Map<Long, Integer> sent) {
		Set<Integer> missing = new HashSet<>(sent.values());
		try (LinkedListIterator<MessageReference> references = queue.iterator()) {
			while (!missing.isEmpty() && references.hasNext()) {
				MessageReference reference = references.next();
				Integer packetId = sent.get(reference.getMessageID());
				if (packetId != null) {
					reference.setDeliveryCount(Math.max(1, reference.getDeliveryCount()));
					missing.remove(packetId);
				}
			}
		}
		return missing;
	}

	@Override
	public void afterCreateConsumer(ServerConsumer consumer) {
		if (this.queues.containsKey(consumer.getID())) {
			this.consumers.put(consumer.getID(), consumer);
		}
	}

	@Override
	public void afterCloseConsumer(ServerConsumer consumer, boolean failed) {
		// A changed subscription has a new consumer with the id of the old one.
		if (this.consumers.remove(consumer.getID(), consumer)) {
			this.queues.remove(consumer.getID());
		}
	}

	/** Returns an interceptor of packets to clients, which stores what is sent. */
	MQTTInterceptor outgoing() {
		return (packet, connection) -> {
			if (packet instanceof MqttPublishMessage publish && publish.variableHeader().packetId() > 0
					&& publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE) {
				store(connection.getClientID(), publish.variableHeader().packetId());
			}
			return true;
		};
	}

	private void store(String clientId, int packetId) {
		write(clientId, (session) -> {
			OutboundIds ids = ids(clientId);
			Pair<Long, Long> message = (ids != null) ? ids.message(packetId) : null;
			String queue = (message != null) ? this.queues.get(message.getB()) : null;
			if (message == null || queue == null) {
				return List.of();
			}
			SentMessage sent = new SentMessage(message.getA(), queue);
			return sent.equals(session.sent().get(packetId)) ? List.of() : List.of(new Sent(clientId, packetId, sent));
		});
	}

	/** Handles the PUBACK or PUBREC of a client, or the expiry of a message. */
	@Override
	public void messageAcknowledged(@Nullable Transaction transaction, MessageReference reference, AckReason reason,
			@Nullable ServerConsumer consumer) {
		String queue = reference.getQueue().getName().toString();
		String clientId = QueueNames.owner(queue);
		if (clientId != null && QueueNames.isSubscription(queue)) {
			SentMessage sent = new SentMessage(reference.getMessageID(), queue);
			write(clientId, (session) -> {
				Integer packetId = session.packetId(sent);
				return (packetId != null) ? List.of(new Acknowledged(clientId, packetId)) : List.of();
			});
		}
	}

	private void write(String clientId, Function<StoredSession, List<SessionChange>> changes) {
		try {
			this.file.append(clientId, (session) -> (session != null) ? changes.apply(session) : List.of());
		}
		catch (IOException ex) {
			// The message would be sent with another identifier after a restart.
			logger.debug("Failed to store a packet identifier of client '{}'", clientId, ex);
		}
	}

	/**
	 * Forgets messages of a recovered session that are not in their queues, and reserves
	 * the identifiers of the others.
	 */
	void recovered(String clientId, ArtemisQueues artemis) throws IOException {
		this.file.append(clientId, (session) -> {
			List<SessionChange> changes = new ArrayList<>();
			if (session != null) {
				Map<String, Set<Long>> messages = new HashMap<>();
				session.sent().forEach((packetId, sent) -> {
					if (!messages.computeIfAbsent(sent.queue(), artemis::messageIds).contains(sent.messageId())) {
						changes.add(new Acknowledged(clientId, packetId));
					}
				});
			}
			return changes;
		});
		OutboundIds ids = ids(clientId);
		if (ids != null) {
			this.file.read(clientId, (session) -> ids.reserve(session.sent()));
		}
	}

}
