package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client with a session that publishes numbered messages of QoS 1 and 2, several at a
 * time. When its connection ends, it continues its session and repeats unacknowledged
 * messages (MQTT 5 section 4.4). It does not repeat messages that the broker refuses.
 */
public final class NumberedPublisher implements Callable<Void> {

	private static final int IN_FLIGHT = 10;

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final String PADDING = ".".repeat(1_000);

	private final String name;

	private final IntSupplier port;

	private final Opener opener;

	/** Pause before each message, in milliseconds. */
	private final int pauseMillis;

	/** Messages without a PUBACK or PUBREC, by packet identifier. */
	private final Map<Integer, RawPublish> sent = new LinkedHashMap<>();

	/** Packet identifiers of messages without a PUBCOMP. */
	private final Set<Integer> received = new LinkedHashSet<>();

	/** Numbers of the next messages of QoS 1 and 2. */
	private final int[] next = new int[3];

	/** Whether the broker may refuse connections and messages. */
	private final boolean refused;

	/** Numbers of accepted messages of QoS 1 and 2. */
	private final BitSet[] accepted = { new BitSet(), new BitSet(), new BitSet() };

	private final AtomicInteger acknowledged = new AtomicInteger();

	private int connections;

	private int lastPacketId;

	private volatile boolean stopped;

	/**
	 * Creates a client that has not connected.
	 * @param name the client id, with which the topics also begin
	 * @param port returns the port of the running broker, or 0 while the broker is
	 * stopping or starting
	 * @param refused whether the broker may refuse connections and messages
	 */
	NumberedPublisher(String name, IntSupplier port, boolean refused) {
		this(name, port, RawMqttConnection::new, refused, 0);
	}

	/**
	 * Creates a client for nodes that may refuse connections and messages.
	 * @param name the client id, with which the topics also begin
	 * @param opener opens a connection to one of the nodes
	 * @param pauseMillis pause before each message, in milliseconds
	 */
	public NumberedPublisher(String name, Opener opener, int pauseMillis) {
		this(name, () -> 0, opener, true, pauseMillis);
	}

	private NumberedPublisher(String name, IntSupplier port, Opener opener, boolean refused, int pauseMillis) {
		this.name = name;
		this.port = port;
		this.opener = opener;
		this.refused = refused;
		this.pauseMillis = pauseMillis;
	}

	/** Returns the topic for messages with a QoS level. */
	public String topic(int qos) {
		return this.name + '/' + qos;
	}

	/** Returns the number of a message. */
	static int number(RawPublish message) {
		String text = message.text();
		int number = Integer.parseInt(text.substring(0, text.indexOf('.')));
		assertThat(text).isEqualTo(number + PADDING);
		return number;
	}

	/**
	 * Returns the numbers of the accepted messages with a QoS level. Called once the
	 * client has ended.
	 */
	public BitSet accepted(int qos) {
		return this.accepted[qos];
	}

	/** Returns the number of acknowledged messages. */
	public int acknowledged() {
		return this.acknowledged.get();
	}

	/** Lets the client end once all messages are acknowledged. */
	public void stop() {
		this.stopped = true;
	}

	@Override
	public Void call() throws Exception {
		while (!isDone()) {
			int port = this.port.getAsInt();
			try (RawMqttConnection connection = this.opener.open(port)) {
				publish(connection, port);
			}
			catch (SocketTimeoutException ex) {
				throw new AssertionError("No answer to " + this.sent + " and " + this.received, ex);
			}
			catch (IOException ex) {
				// The broker has ended.
				Thread.sleep(10);
			}
		}
		return null;
	}

	private boolean isDone() {
		return this.stopped && this.sent.isEmpty() && this.received.isEmpty();
	}

	private void publish(RawMqttConnection connection, int port) throws IOException {
		connection.send(RawConnect.of(this.name, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(false));
		RawControl connack = (RawControl) connection.read(TIMEOUT);
		checkAccepted(connack, port);
		if (this.connections++ > 0) {
			assertThat(connack.sessionPresent()).as("session present").isTrue();
		}
		for (int packetId : this.received) {
			connection.send(RawControl.acknowledgment(PacketType.PUBREL, packetId));
		}
		for (RawPublish message : this.sent.values()) {
			message.dup = true;
			connection.send(message);
		}
		while (!isDone()) {
			while (!this.stopped && this.sent.size() + this.received.size() < IN_FLIGHT) {
				pause();
				sendNext(connection);
			}
			receive(connection, port);
		}
	}

	private void pause() throws IOException {
		try {
			Thread.sleep(this.pauseMillis);
		}
		catch (InterruptedException ex) {
			throw new InterruptedIOException();
		}
	}

	/** Fails if a packet contains an error, unless it is expected. */
	private void checkAccepted(RawControl answer, int port) throws IOException {
		if (answer.type() == PacketType.DISCONNECT || answer.reason() >= 0x80) {
			// Only a cluster node sends "use another server", when another node leads.
			assertThat(this.refused || answer.reason() == 0x9C || this.port.getAsInt() != port)
				.as("expected %s", answer)
				.isTrue();
			throw new IOException("The broker is ending, or refuses the client");
		}
	}

	private void sendNext(RawMqttConnection connection) throws IOException {
		int qos = 1 + this.lastPacketId % 2;
		RawPublish message = connection.publish(topic(qos), qos, this.next[qos]++ + PADDING);
		this.lastPacketId = this.lastPacketId % 0xFFFE + 1;
		message.packetId = this.lastPacketId;
		this.sent.put(message.packetId, message);
		connection.send(message);
	}

	private void receive(RawMqttConnection connection, int port) throws IOException {
		RawControl answer = (RawControl) connection.read(TIMEOUT);
		int packetId = answer.packetId();
		if (answer.type() == PacketType.PUBACK && answer.reason() == 0x97 && this.refused) {
			this.sent.remove(packetId);
			return;
		}
		checkAccepted(answer, port);
		switch (answer.type()) {
			case PUBACK -> accepted(answer, 1);
			case PUBREC -> {
				accepted(answer, 2);
				this.received.add(packetId);
				connection.send(RawControl.acknowledgment(PacketType.PUBREL, packetId));
			}
			case PUBCOMP -> assertThat(this.received.remove(packetId)).as("expected %s", answer).isTrue();
			default -> throw new AssertionError("Received " + answer);
		}
	}

	private void accepted(RawControl answer, int qos) {
		RawPublish message = this.sent.remove(answer.packetId());
		assertThat(message).as("message of %s", answer).isNotNull();
		assertThat(message.qos).isEqualTo(qos);
		this.accepted[qos].set(number(message));
		this.acknowledged.incrementAndGet();
	}

	/** Opens connections. */
	@FunctionalInterface
	public interface Opener {

		/**
		 * Opens a connection.
		 * @param port port of the running broker, if there is only one
		 */
		RawMqttConnection open(int port) throws IOException;

	}

}
