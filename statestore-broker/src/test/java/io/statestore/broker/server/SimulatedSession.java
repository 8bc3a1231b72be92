package io.statestore.broker.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;

import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.SessionLog.Outcome;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT client with a session in a {@link SimulatedCluster}. It publishes numbered QoS
 * 1 and 2 messages, repeats unacknowledged messages, and receives the messages from all
 * clients. Fails if the session is lost, a message is missing or out of order, or a QoS 2
 * message is repeated.
 */
final class SimulatedSession {

	private final String clientId;

	/** Numbers of the next messages, by topic. */
	private final Map<String, Integer> expected = new HashMap<>();

	/** QoS 2 messages without a PUBREL, by packet identifier. */
	private final Map<Integer, String> unreleased = new HashMap<>();

	private final Queue<Delivery> deliveries = new ArrayDeque<>();

	private @Nullable SessionLog log;

	/** Counts connections, so that an earlier connection has no effect. */
	private int attempts;

	/** Number of the connection, 0 while it is unknown. */
	private long connection;

	private boolean subscribed;

	private int published;

	/** Whether the message with the number {@link #published} is unacknowledged. */
	private boolean sent;

	/** Whether a PUBREC has acknowledged it. */
	private boolean received;

	SimulatedSession(String clientId) {
		this.clientId = clientId;
	}

	/**
	 * Connects to a node that serves clients, unless this client is already connected to
	 * it.
	 */
	void connect(SimulatedNode node) {
		SessionLog next = node.isReady() ? Objects.requireNonNull(node.server().sessionLog()) : null;
		if (next == null || next == this.log) {
			return;
		}
		this.log = next;
		this.connection = 0;
		this.deliveries.clear();
		this.attempts++;
		append(new Connect(this.clientId, "", false, 3_600, will(), true),
				(applied) -> connected(Objects.requireNonNull(applied.connected())));
	}

	private @Nullable Will will() {
		Message message = new Message("will/" + this.clientId, new byte[0],
				Integer.toString(this.attempts).getBytes(StandardCharsets.UTF_8), 1, true, Message.NEVER,
				this.clientId);
		return (this.attempts % 2 == 0) ? new Will(message, this.attempts % 3, -1) : null;
	}

	/** Appends a change. Ends the connection if it is rejected. */
	private void append(SessionChange change, Consumer<Applied> outcome) {
		int attempt = this.attempts;
		SessionLog log = this.log;
		if (log == null) {
			return;
		}
		log.append(change, new Outcome((applied) -> {
			if (attempt == this.attempts) {
				outcome.accept(applied);
			}
		}, () -> {
			if (attempt == this.attempts) {
				disconnect();
			}
		}));
	}

	private void disconnect() {
		this.attempts++;
		this.log = null;
		this.connection = 0;
		this.deliveries.clear();
	}

	private void connected(Connected connected) {
		require(connected.present() || !this.subscribed, "The session is lost");
		this.connection = connected.number();
		int attempt = this.attempts;
		Objects.requireNonNull(this.log).attach(this.clientId, this.connection, (delivery) -> {
			if (attempt == this.attempts) {
				this.deliveries.add(delivery);
			}
		});
		if (!this.subscribed) {
			append(new Subscribe(this.clientId, this.connection, List.of(new Subscription("from/+", 2, 0))),
					(applied) -> this.subscribed = true);
		}
		if (this.sent) {
			send();
		}
	}

	/** Publishes the next message unless the last message is unacknowledged. */
	void publish() {
		if (this.connection != 0 && !this.sent) {
			this.received = false;
			this.sent = true;
			send();
		}
	}

	private void send() {
		int qos = 1 + this.published % 2;
		int packetId = (qos == 2) ? 1 + this.published % 10 : 0;
		if (this.received) {
			append(new Release(this.clientId, this.connection, packetId), (applied) -> completed());
			return;
		}
		Message message = new Message("from/" + this.clientId, new byte[0],
				Integer.toString(this.published).getBytes(StandardCharsets.UTF_8), qos, false, Message.NEVER,
				this.clientId);
		Publish change = Objects.requireNonNull(this.log)
			.sessions()
			.routing()
			.route(message, "", this.connection, packetId, false);
		append(Objects.requireNonNull(change), (applied) -> {
			require(!applied.refused(), "A message is refused");
			if (packetId == 0) {
				completed();
			}
			else {
				this.received = true;
				send();
			}
		});
	}

	private void completed() {
		this.sent = false;
		this.published++;
	}

	/** Handles the messages that have arrived. */
	void receive() {
		for (Delivery delivery = this.deliveries.poll(); delivery != null; delivery = this.deliveries.poll()) {
			if (delivery.message().topic().startsWith("from/")) {
				receive(delivery);
			}
		}
	}

	private void receive(Delivery delivery) {
		String topic = delivery.message().topic();
		String text = new String(delivery.message().payload(), StandardCharsets.UTF_8);
		int number = Integer.parseInt(text);
		int next = this.expected.getOrDefault(topic, 0);
		String id = topic + ' ' + text;
		if (delivery.isReceived()) {
			// A PUBREL arrives instead of the message.
			this.unreleased.remove(delivery.packetId());
			acknowledge(delivery, false);
			return;
		}
		boolean known = (delivery.qos() == 2) ? id.equals(this.unreleased.put(delivery.packetId(), id)) : number < next;
		require(known ? delivery.isRepeated() || delivery.qos() == 1 : number == next,
				"Expected message " + next + ", not " + id);
		if (!known) {
			this.expected.put(topic, number + 1);
		}
		acknowledge(delivery, delivery.qos() == 2);
	}

	private void acknowledge(Delivery delivery, boolean received) {
		append(new Acknowledge(this.clientId, this.connection, received, new long[] { delivery.number() }),
				(applied) -> {
					if (received) {
						this.unreleased.remove(delivery.packetId());
						acknowledge(delivery, false);
					}
				});
	}

	private void require(boolean condition, String message) {
		if (!condition) {
			throw new AssertionError(this.clientId + ": " + message);
		}
	}

	/** Returns whether each message was acknowledged and received by all clients. */
	static boolean areDone(List<SimulatedSession> sessions) {
		return sessions.stream()
			.allMatch((publisher) -> !publisher.sent && sessions.stream()
				.allMatch((subscriber) -> subscriber.expected.getOrDefault("from/" + publisher.clientId,
						0) == publisher.published));
	}

	/** Returns the number of acknowledged messages. */
	int published() {
		return this.published;
	}

	@Override
	public String toString() {
		return this.clientId + " has published " + this.published + " messages and expects " + this.expected;
	}

}
