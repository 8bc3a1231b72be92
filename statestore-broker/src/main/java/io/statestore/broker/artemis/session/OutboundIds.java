package io.statestore.broker.artemis.session;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.broker.artemis.disk.SentMessage;
import org.apache.activemq.artemis.api.core.Pair;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState.OutboundStore;
import org.jspecify.annotations.Nullable;

/**
 * Packet identifiers that Artemis has assigned to messages for one client. Artemis 2.43
 * finds them by message and consumer. Because each connection has new consumers, it
 * assigns new identifiers after each reconnect, contrary to MQTT 5 section 4.4. It has no
 * method to set an identifier, which reflection therefore does.
 */
final class OutboundIds {

	private static final Field LOCK = field("dataStoreLock");

	private static final Field MESSAGES = field("mqttToServerIds");

	private static final Field IDS = field("artemisToMqttMessageMap");

	private static final Field LATEST = field("currentId");

	/** Id of a consumer that does not exist. */
	private static final long NO_CONSUMER = -1;

	/** Takes the place of the consumer when the client has received the message. */
	private static final long CONFIRMED = -2;

	private final OutboundStore store;

	private final Object lock;

	/** Message and consumer, by packet identifier. */
	private final Map<Integer, Pair<Long, Long>> messages;

	/** Packet identifiers by message and consumer. */
	private final Map<Pair<Long, Long>, Integer> ids;

	@SuppressWarnings("unchecked")
	private OutboundIds(OutboundStore store) throws ReflectiveOperationException {
		this.store = store;
		this.lock = LOCK.get(store);
		this.messages = (Map<Integer, Pair<Long, Long>>) MESSAGES.get(store);
		this.ids = (Map<Pair<Long, Long>, Integer>) IDS.get(store);
	}

	private static Field field(String name) {
		try {
			Field field = OutboundStore.class.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException("Not supported with this version of Artemis: " + OutboundStore.class, ex);
		}
	}

	static OutboundIds of(MQTTSessionState session) {
		try {
			return new OutboundIds(session.getOutboundStore());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to read packet identifiers of Artemis", ex);
		}
	}

	/**
	 * Returns the message and the consumer to which an identifier is assigned, or
	 * {@code null} if it is free.
	 */
	@Nullable Pair<Long, Long> message(int packetId) {
		synchronized (this.lock) {
			return this.messages.get(packetId);
		}
	}

	/**
	 * Reserves the identifiers of an earlier process, so that Artemis does not assign
	 * them to other messages before their own consumers exist.
	 * @param sent messages by packet identifier
	 * @param confirmed identifiers of messages that the client has received
	 */
	void reserve(Map<Integer, SentMessage> sent, Set<Integer> confirmed) {
		sent.forEach((packetId, message) -> assign(packetId, message.messageId(),
				confirmed.contains(packetId) ? CONFIRMED : NO_CONSUMER));
		synchronized (this.lock) {
			try {
				LATEST.setInt(this.store, sent.keySet().stream().mapToInt(Integer::intValue).max().orElse(0));
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException("Failed to change packet identifiers of Artemis", ex);
			}
		}
	}

	/**
	 * Keeps the identifier of a message that the client has received, until
	 * {@link #complete}.
	 * @param packetId packet identifier
	 * @return the message and its consumer, or {@code null} if there is none, or it was
	 * received before
	 */
	@Nullable Pair<Long, Long> confirm(int packetId) {
		synchronized (this.lock) {
			if (isConfirmed(packetId)) {
				return null;
			}
			Pair<Long, Long> message = this.store.publishReceived(packetId);
			if (message != null) {
				this.messages.put(packetId, new Pair<>(message.getA(), CONFIRMED));
			}
			return message;
		}
	}

	/** Reserves the identifier of a message that the client has received earlier. */
	void reserveConfirmed(int packetId) {
		synchronized (this.lock) {
			Pair<Long, Long> message = this.messages.get(packetId);
			if (message == null || message.getB() != CONFIRMED) {
				assign(packetId, (message != null) ? message.getA() : 0, CONFIRMED);
			}
		}
	}

	private boolean isConfirmed(int packetId) {
		Pair<Long, Long> message = this.messages.get(packetId);
		return message != null && message.getB() == CONFIRMED;
	}

	/**
	 * Frees the identifier of a message that the client has received.
	 * @return whether the client had received a message with this identifier
	 */
	boolean complete(int packetId) {
		synchronized (this.lock) {
			boolean confirmed = isConfirmed(packetId);
			if (confirmed) {
				this.ids.remove(this.messages.remove(packetId));
			}
			return confirmed;
		}
	}

	/**
	 * Returns the identifiers of messages that the client has received, in the order of
	 * the messages.
	 */
	List<Integer> confirmed() {
		synchronized (this.lock) {
			return this.messages.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().getB() == CONFIRMED)
				.sorted(Comparator.comparing((entry) -> entry.getValue().getA()))
				.map(Map.Entry::getKey)
				.toList();
		}
	}

	/**
	 * Assigns an identifier to a message for a new consumer, unless the client has
	 * received the message.
	 * @param packetId packet identifier
	 * @param messageId id of the message
	 * @param consumerId id of the consumer
	 */
	void assign(int packetId, long messageId, long consumerId) {
		synchronized (this.lock) {
			if (isConfirmed(packetId)) {
				return;
			}
			Pair<Long, Long> message = new Pair<>(messageId, consumerId);
			Pair<Long, Long> earlier = this.messages.put(packetId, message);
			if (earlier != null) {
				this.ids.remove(earlier);
			}
			this.ids.put(message, packetId);
		}
	}

}
