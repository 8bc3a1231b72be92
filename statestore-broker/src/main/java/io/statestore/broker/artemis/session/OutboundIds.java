package io.statestore.broker.artemis.session;

import java.lang.reflect.Field;
import java.util.Map;

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
	 */
	void reserve(Map<Integer, SentMessage> sent) {
		sent.forEach((packetId, message) -> assign(packetId, message.messageId(), NO_CONSUMER));
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
	 * Assigns an identifier to a message for a new consumer.
	 * @param packetId packet identifier
	 * @param messageId id of the message
	 * @param consumerId id of the consumer
	 */
	void assign(int packetId, long messageId, long consumerId) {
		synchronized (this.lock) {
			Pair<Long, Long> message = new Pair<>(messageId, consumerId);
			Pair<Long, Long> earlier = this.messages.put(packetId, message);
			if (earlier != null) {
				this.ids.remove(earlier);
			}
			this.ids.put(message, packetId);
		}
	}

}
