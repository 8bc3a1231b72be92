package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.packet.Requests;
import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.protocol.Administration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of one connection on their way to the state store. Delivers them in order, and
 * limits those without a reply. Used on the event loop of the connection only.
 */
final class RequestQueue {

	private static final Logger logger = LoggerFactory.getLogger(RequestQueue.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Maximum number of unanswered requests of one client. */
	static final int MAX_UNANSWERED = 1_024;

	/**
	 * Size of unanswered requests of one client, in bytes, from which on further ones
	 * wait.
	 */
	static final long MAX_UNANSWERED_BYTES = 4L * 1024 * 1024;

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

	private static final int NOT_AUTHORIZED = 0x87;

	private static final int QOS_NOT_SUPPORTED = 0x9B;

	private static final int FIRST_FAILURE = 0x80;

	private final Events events;

	private final ClientListener listener;

	private final LoopTasks tasks;

	private final BooleanSupplier stable;

	/** Delivers held requests once the principal may send another one. */
	private final Runnable resumption;

	/**
	 * Requests that wait until Artemis answers a CONNECT or SUBSCRIBE, or until the state
	 * store answers earlier ones.
	 */
	private final Queue<MqttPublishMessage> held = new ArrayDeque<>();

	/** Sender of the requests, {@code null} for clients before MQTT 5. */
	private @Nullable ClientConnection connection;

	private int version = Packets.MQTT_5;

	private String clientId = "";

	/** Limits the requests of all connections of the principal. */
	private PrincipalShare share = PrincipalShare.UNLIMITED;

	/** What the client may do, {@code null} before its CONNECT. */
	private @Nullable TopicAccess access;

	private int unanswered;

	private long unansweredBytes;

	private boolean delivering;

	private boolean closed;

	/**
	 * Creates an empty queue.
	 * @param listener receives the requests
	 * @param tasks the event loop of the connection
	 * @param stable returns whether the client is connected, and Artemis has executed
	 * every packet that precedes the next request
	 * @param events receives the effects of this queue
	 */
	RequestQueue(ClientListener listener, LoopTasks tasks, BooleanSupplier stable, Events events) {
		this.listener = listener;
		this.tasks = tasks;
		this.stable = stable;
		this.events = events;
		this.resumption = () -> tasks.executeLater(this::deliverHeld);
	}

	/**
	 * Sets the client that sends the requests.
	 * @param clientId id of the client
	 * @param version protocol level of the client
	 * @param access what the client may do
	 */
	void connecting(String clientId, int version, TopicAccess access) {
		this.access = access;
		this.clientId = clientId;
		this.version = version;
	}

	/**
	 * Sets the limits of the principal of the client.
	 * @param share the share of this connection, which its session closes after this
	 * queue
	 */
	void admitted(PrincipalShare share) {
		this.share = share;
	}

	/**
	 * Sets the sender of the requests.
	 * @param connection the connection of an MQTT 5 client
	 */
	void connected(ClientConnection connection) {
		this.connection = connection;
	}

	/** Returns whether no request waits. */
	boolean isEmpty() {
		return this.held.isEmpty();
	}

	/**
	 * Delivers a request, or holds it until it can be delivered.
	 * @param publish the PUBLISH, whose reference is taken over
	 */
	void add(MqttPublishMessage publish) {
		if (this.held.isEmpty() && isReady() && this.share.tryBegin(this.resumption)) {
			deliver(publish);
		}
		else {
			this.held.add(publish);
			this.events.heldChanged();
		}
	}

	/** Returns whether the next request of this connection can be delivered. */
	private boolean isReady() {
		return this.stable.getAsBoolean() && this.unanswered < MAX_UNANSWERED
				&& this.unansweredBytes < MAX_UNANSWERED_BYTES;
	}

	/**
	 * Delivers held requests. To be called when Artemis has answered a CONNECT,
	 * SUBSCRIBE, or UNSUBSCRIBE.
	 */
	void deliverHeld() {
		// An immediate reply to a delivered request calls this method again.
		if (this.delivering) {
			return;
		}
		this.delivering = true;
		while (!this.held.isEmpty() && isReady() && !this.closed && this.share.tryBegin(this.resumption)) {
			deliver(this.held.remove());
		}
		this.delivering = false;
		this.events.heldChanged();
	}

	private void deliver(MqttPublishMessage publish) {
		int packetId = publish.variableHeader().packetId();
		int qos = publish.fixedHeader().qosLevel().value();
		// With the properties, which the state store keeps, too.
		int size = publish.fixedHeader().remainingLength();
		this.unanswered++;
		this.unansweredBytes += size;
		try {
			if (this.connection != null) {
				IncomingRequest request = Requests.of(publish, this.connection,
						(reason) -> this.tasks.execute(() -> answered(qos, packetId, reason, size)));
				if (this.access == null || this.access.mayReplyTo(request.responseTopic())) {
					pass(publish.variableHeader().topicName(), request);
				}
				else {
					answered(qos, packetId, NOT_AUTHORIZED, size);
				}
			}
			else {
				clientLog.warn("Ignored a request of client '{}': requests require MQTT 5, and the client uses an "
						+ "earlier version", this.clientId);
				answered(qos, packetId, 0, size);
			}
		}
		catch (RuntimeException ex) {
			logger.error("Failed to pass a request to the state store", ex);
			answered(qos, packetId, IMPLEMENTATION_SPECIFIC_ERROR, size);
		}
		finally {
			publish.release();
		}
	}

	private void pass(String topic, IncomingRequest request) {
		if (topic.equals(Administration.REQUEST_TOPIC)) {
			this.listener.administer(request, this.events.isLocal());
		}
		else {
			this.listener.request(request);
		}
	}

	private void answered(int qos, int packetId, int reasonCode, int size) {
		this.share.end();
		this.unanswered--;
		this.unansweredBytes -= size;
		acknowledge(qos, packetId, reasonCode);
		if (!this.held.isEmpty()) {
			deliverHeld();
		}
	}

	/**
	 * Refuses a message on a topic on which clients must not publish.
	 * @param publish the PUBLISH, whose reference is taken over
	 */
	void refuse(MqttPublishMessage publish) {
		publish.release();
		clientLog.warn("Refused a message of client '{}': clients must not publish on '{}'", this.clientId,
				publish.variableHeader().topicName());
		acknowledge(publish.fixedHeader().qosLevel().value(), publish.variableHeader().packetId(), NOT_AUTHORIZED);
	}

	/**
	 * Refuses a message on a topic on which its client may not publish. Before MQTT 5, an
	 * acknowledgment would confirm the message, so the connection is ended.
	 * @param publish the PUBLISH, whose reference is taken over
	 */
	void deny(MqttPublishMessage publish) {
		int qos = publish.fixedHeader().qosLevel().value();
		int packetId = publish.variableHeader().packetId();
		publish.release();
		if (qos > 0 && this.version != Packets.MQTT_5) {
			this.events.disconnect(NOT_AUTHORIZED, "it may not publish on the topic of its message");
		}
		else {
			acknowledge(qos, packetId, NOT_AUTHORIZED);
		}
	}

	private void acknowledge(int qos, int packetId, int reasonCode) {
		if (this.closed || qos == 0) {
			return;
		}
		// A successful PUBREC would promise the rest of the exchange of QoS 2.
		boolean promised = qos == 2 && reasonCode < FIRST_FAILURE && this.version == Packets.MQTT_5;
		this.events.acknowledge(
				Packets.acknowledgment(this.version, qos, packetId, promised ? QOS_NOT_SUPPORTED : reasonCode));
	}

	/** Discards held requests. Later replies are not acknowledged. */
	void close() {
		this.closed = true;
		this.held.forEach(MqttPublishMessage::release);
		this.held.clear();
	}

	/** Effects of a queue. */
	interface Events {

		/** Sends a PUBACK or PUBREC to the client. */
		void acknowledge(MqttMessage acknowledgment);

		/** Ends the connection. */
		void disconnect(int reasonCode, String reason);

		/** Returns whether the client is connected from a loopback address. */
		boolean isLocal();

		/** Called when requests were held or delivered. */
		void heldChanged();

	}

}
