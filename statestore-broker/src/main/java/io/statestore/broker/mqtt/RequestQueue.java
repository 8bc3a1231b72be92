package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;

import io.statestore.broker.packet.Packets;
import io.statestore.broker.packet.Requests;
import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.IncomingRequest.Acknowledgment;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's requests on their way to the state store. Delivers and acknowledges them
 * in order, and limits unanswered requests. Used only on the connection's event loop.
 */
final class RequestQueue {

	private static final Logger logger = LoggerFactory.getLogger(RequestQueue.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Maximum number of unanswered requests per client. */
	static final int MAX_UNANSWERED = 1_024;

	/**
	 * Total size of a client's unanswered requests, in bytes, at which later requests
	 * have to wait.
	 */
	static final long MAX_UNANSWERED_BYTES = 4L * 1024 * 1024;

	/** The connection that sends the requests. */
	private final MqttConnection connection;

	private final ClientLink link;

	private final ClientListener listener;

	private final TopicAccess access;

	/** Limits the requests on all of the principal's connections. */
	private final PrincipalShare share;

	/** Delivers held requests once the principal may send another request. */
	private final Runnable resumption;

	/**
	 * Requests waiting until a SUBSCRIBE or UNSUBSCRIBE is answered, or until the state
	 * store answers earlier requests.
	 */
	private final Queue<Received> held = new ArrayDeque<>();

	/** Requests and refused messages that are not acknowledged yet. */
	private final Queue<Received> unacknowledged = new ArrayDeque<>();

	private long unansweredBytes;

	private boolean delivering;

	private boolean closed;

	/**
	 * Creates an empty queue.
	 * @param connection the connection that sends the requests
	 * @param listener receives the requests
	 * @param access the client's access to topics
	 * @param share the connection's share of its principal's limits, which must be closed
	 * after this queue
	 */
	RequestQueue(MqttConnection connection, ClientListener listener, TopicAccess access, PrincipalShare share) {
		this.connection = connection;
		this.link = connection.link();
		this.listener = listener;
		this.access = access;
		this.share = share;
		this.resumption = () -> this.link.tasks().executeLater(this::deliverHeld);
	}

	/** Returns whether the broker must stop reading from the client. */
	boolean isFull() {
		return !this.held.isEmpty() || this.unacknowledged.size() > MAX_UNANSWERED;
	}

	/**
	 * Delivers a request, or holds it until it can be delivered.
	 * @param publish the request
	 */
	void add(Publish publish) {
		boolean scan = Requests.isScan(publish.payload());
		boolean immediately = this.held.isEmpty() && isReady() && this.share.tryBegin(scan, this.resumption);
		Received request = enqueue(publish, scan);
		if (immediately) {
			deliver(request, publish);
		}
		else {
			request.held = publish;
			this.held.add(request);
			this.connection.updateReading();
		}
	}

	/** Adds a message to the messages that are acknowledged in order. */
	private Received enqueue(Publish publish, boolean scan) {
		Received message = new Received(publish, scan);
		this.unacknowledged.add(message);
		return message;
	}

	/** Returns whether this connection's next request can be delivered. */
	private boolean isReady() {
		int delivered = this.unacknowledged.size() - this.held.size();
		return !this.connection.subscriptions().areChanging() && delivered < MAX_UNANSWERED
				&& this.unansweredBytes < MAX_UNANSWERED_BYTES;
	}

	/**
	 * Delivers held requests. Must be called once a SUBSCRIBE or UNSUBSCRIBE has been
	 * answered.
	 */
	void deliverHeld() {
		// An immediate reply to a delivered request calls this method again.
		if (this.delivering) {
			return;
		}
		this.delivering = true;
		while (!this.held.isEmpty() && isReady() && !this.closed
				&& this.share.tryBegin(this.held.element().scan, this.resumption)) {
			Received request = this.held.remove();
			Publish publish = Objects.requireNonNull(request.held);
			request.held = null;
			deliver(request, publish);
		}
		this.delivering = false;
		this.connection.updateReading();
	}

	private void deliver(Received request, Publish publish) {
		this.unansweredBytes += request.size;
		try {
			if (this.link.isMqtt5()) {
				IncomingRequest incoming = Requests.of(publish, this.connection, request);
				if (this.access.mayReplyTo(incoming.responseTopic())) {
					dispatch(publish.topic(), incoming);
				}
				else {
					answered(request, ReasonCodes.NOT_AUTHORIZED);
				}
			}
			else {
				clientLog.warn("Ignored a request of client '{}': requests require MQTT 5, and the client uses an "
						+ "earlier version", this.link.clientId());
				answered(request, 0);
			}
		}
		catch (RuntimeException ex) {
			logger.error("Failed to pass a request of client '{}' to the state store, so the request has no effect. "
					+ "This is a bug: report it with this stack trace", this.link.clientId(), ex);
			answered(request, ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}
	}

	private void dispatch(String topic, IncomingRequest request) {
		if (topic.equals(Administration.REQUEST_TOPIC)) {
			this.listener.administer(request, this.link.isLocal());
		}
		else {
			this.listener.request(request);
		}
	}

	private void answered(Received request, int reasonCode) {
		this.share.end(request.scan);
		this.unansweredBytes -= request.size;
		acknowledge(request, reasonCode);
		if (!this.held.isEmpty()) {
			deliverHeld();
		}
	}

	/**
	 * Refuses a message on a topic that clients must not publish to.
	 * @param publish the message
	 */
	void refuseReservedTopic(Publish publish) {
		clientLog.warn("Refused a message of client '{}': clients must not publish on '{}'", this.link.clientId(),
				publish.topic());
		acknowledgeInTurn(publish, ReasonCodes.NOT_AUTHORIZED);
	}

	/**
	 * Refuses a message on a topic with too many levels. Before MQTT 5, an acknowledgment
	 * would confirm the message, so the connection is closed instead.
	 * @param publish the message
	 */
	void refuseDeepTopic(Publish publish) {
		clientLog.warn("Refused a message of client '{}': its topic has more than {} levels", this.link.clientId(),
				Topics.MAX_LEVELS);
		if (publish.qos() > 0 && !this.link.isMqtt5()) {
			this.link.disconnect(ReasonCodes.TOPIC_NAME_INVALID,
					"the topic of its message has more than " + Topics.MAX_LEVELS + " levels");
		}
		else {
			acknowledgeInTurn(publish, ReasonCodes.TOPIC_NAME_INVALID);
		}
	}

	/** Acknowledges a refused message after all earlier messages. */
	private void acknowledgeInTurn(Publish publish, int reasonCode) {
		Received refused = enqueue(publish, false);
		acknowledge(refused, reasonCode);
		if (isFull()) {
			this.connection.updateReading();
		}
	}

	private void acknowledge(Received message, int reasonCode) {
		boolean full = isFull();
		message.reasonCode = reasonCode;
		for (Received first = this.unacknowledged.peek(); first != null
				&& first.reasonCode != Received.UNANSWERED; first = this.unacknowledged.peek()) {
			this.unacknowledged.remove();
			send(first);
		}
		if (full && !isFull()) {
			this.connection.updateReading();
		}
	}

	private void send(Received message) {
		if (message.qos == 0) {
			return;
		}
		// A successful PUBREC would promise the rest of the QoS 2 exchange.
		boolean promised = message.qos == 2 && !ReasonCodes.isFailure(message.reasonCode) && this.link.isMqtt5();
		this.connection.flow()
			.acknowledge(Packets.acknowledgment(message.qos, message.packetId,
					promised ? ReasonCodes.QOS_NOT_SUPPORTED : message.reasonCode));
	}

	/** Discards held requests. Later replies are not acknowledged. */
	void close() {
		this.closed = true;
		this.held.clear();
		this.unacknowledged.clear();
	}

	/** A request or a refused message. */
	private final class Received implements Acknowledgment {

		private static final int UNANSWERED = -1;

		private final int qos;

		private final int packetId;

		private final int size;

		/** Whether this is a SCAN that has not read its data yet. */
		private boolean scan;

		/** The packet while the request is held. */
		private @Nullable Publish held;

		private int reasonCode = UNANSWERED;

		private Received(Publish publish, boolean scan) {
			this.qos = publish.qos();
			this.packetId = publish.packetId();
			this.size = publish.size();
			this.scan = scan;
		}

		@Override
		public void acknowledge(int reasonCode) {
			RequestQueue.this.link.tasks().execute(() -> answered(this, reasonCode));
		}

		@Override
		public void read() {
			RequestQueue.this.link.tasks().execute(this::endScan);
		}

		private void endScan() {
			if (this.scan) {
				this.scan = false;
				RequestQueue.this.share.endScan();
			}
		}

	}

}
