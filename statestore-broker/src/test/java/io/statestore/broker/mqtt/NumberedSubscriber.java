package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client with a session that receives the messages of {@link NumberedPublisher}. It
 * expects each QoS 2 message exactly once. QoS 1 messages may be repeated. Unless the
 * broker may refuse messages, the first message with each number must arrive in order.
 */
public final class NumberedSubscriber implements Callable<Void> {

	private final String name;

	private final IntSupplier port;

	private final NumberedPublisher.Opener opener;

	/** Whether the broker may refuse connections and messages. */
	private final boolean refused;

	/** Numbers of the received messages, by topic. */
	private final Map<String, BitSet> received = new ConcurrentHashMap<>();

	/** Messages of QoS 2 that are not released, by packet identifier. */
	private final Map<Integer, String> unreleased = new HashMap<>();

	private final AtomicInteger repeated = new AtomicInteger();

	private final AtomicInteger resumed = new AtomicInteger();

	private volatile boolean absent;

	private volatile boolean stopped;

	private volatile @Nullable RawMqttConnection connection;

	/**
	 * Creates a client that has not connected.
	 * @param name the client id
	 * @param port returns the port of the running broker, or 0 while the broker is
	 * stopping or starting
	 * @param refused whether the broker may refuse connections and messages
	 */
	NumberedSubscriber(String name, IntSupplier port, boolean refused) {
		this(name, port, RawMqttConnection::new, refused);
	}

	/**
	 * Creates a client for nodes that may refuse connections and messages.
	 * @param name the client id
	 * @param opener opens a connection to one of the nodes
	 */
	public NumberedSubscriber(String name, NumberedPublisher.Opener opener) {
		this(name, () -> 0, opener, true);
	}

	private NumberedSubscriber(String name, IntSupplier port, NumberedPublisher.Opener opener, boolean refused) {
		this.name = name;
		this.port = port;
		this.opener = opener;
		this.refused = refused;
	}

	/** Starts the session. */
	public void subscribe(String filter) throws IOException {
		try (RawMqttConnection connection = this.opener.open(this.port.getAsInt())) {
			connection.connect(connect().cleanStart(true));
			connection.subscribed(filter, 2);
		}
	}

	private RawConnect connect() {
		return RawConnect.of(this.name, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600),
				PropertyType.RECEIVE_MAXIMUM.of(100));
	}

	/** Returns whether the client has received all of the given messages on a topic. */
	public boolean hasReceived(String topic, BitSet numbers) {
		synchronized (this.received) {
			BitSet missing = (BitSet) numbers.clone();
			missing.andNot(received(topic));
			return missing.isEmpty();
		}
	}

	private BitSet received(String topic) {
		return this.received.computeIfAbsent(topic, (added) -> new BitSet());
	}

	/** Returns how often a QoS 1 message was received again. */
	int repeated() {
		return this.repeated.get();
	}

	/** Returns how often the session was continued. */
	public int resumed() {
		return this.resumed.get();
	}

	/** Ends the connection or reconnects. */
	void setAbsent(boolean absent) throws IOException {
		this.absent = absent;
		if (absent) {
			disconnect();
		}
	}

	public void stop() throws IOException {
		this.stopped = true;
		disconnect();
	}

	private void disconnect() throws IOException {
		RawMqttConnection connection = this.connection;
		if (connection != null) {
			connection.close();
		}
	}

	@Override
	public Void call() throws Exception {
		while (!this.stopped) {
			int port = this.port.getAsInt();
			try (RawMqttConnection connection = this.absent ? null : this.opener.open(port)) {
				if (connection != null) {
					this.connection = connection;
					receive(connection, port);
				}
			}
			catch (SocketTimeoutException ex) {
				throw new AssertionError("No CONNACK", ex);
			}
			catch (IOException ex) {
				// The broker has ended, or the test has closed the connection.
			}
			Thread.sleep(10);
		}
		return null;
	}

	private void receive(RawMqttConnection connection, int port) throws IOException {
		connection.send(connect().cleanStart(false));
		RawControl connack = (RawControl) connection.read(Duration.ofSeconds(30));
		checkAccepted(connack, port);
		assertThat(connack.sessionPresent()).as("session present").isTrue();
		this.resumed.incrementAndGet();
		while (!this.absent && !this.stopped) {
			handle(connection, connection.read(), port);
		}
	}

	/** Fails if a packet contains an error, unless it is expected. */
	private void checkAccepted(RawControl packet, int port) throws IOException {
		if (packet.type() == PacketType.DISCONNECT || packet.reason() >= 0x80) {
			// Only a cluster node sends "use another server", when another node leads.
			assertThat(this.refused || packet.reason() == 0x9C || this.port.getAsInt() != port)
				.as("expected %s", packet)
				.isTrue();
			throw new IOException("The broker is ending, or refuses the client");
		}
	}

	private void handle(RawMqttConnection connection, RawPacket packet, int port) throws IOException {
		if (packet instanceof RawPublish message) {
			if (message.qos == 1) {
				receiveAtLeastOnce(message);
				connection.acknowledge(message);
			}
			else {
				receiveExactlyOnce(message);
				connection.send(RawControl.acknowledgment(PacketType.PUBREC, message.packetId));
			}
		}
		else if (packet instanceof RawControl control) {
			checkAccepted(control, port);
			assertThat(control.type()).isEqualTo(PacketType.PUBREL);
			this.unreleased.remove(control.packetId());
			connection.send(RawControl.acknowledgment(PacketType.PUBCOMP, control.packetId()));
		}
	}

	private void receiveAtLeastOnce(RawPublish message) {
		if (received(message.topic).get(NumberedPublisher.number(message))) {
			this.repeated.incrementAndGet();
		}
		else {
			receiveNext(message);
		}
	}

	private void receiveExactlyOnce(RawPublish message) {
		String id = message.topic + ' ' + NumberedPublisher.number(message);
		String earlier = this.unreleased.putIfAbsent(message.packetId, id);
		if (earlier == null) {
			receiveNext(message);
		}
		else {
			assertThat(message.dup).as("repetition of %s", id).isTrue();
			assertThat(id).as("packet identifier %d", message.packetId).isEqualTo(earlier);
		}
	}

	private void receiveNext(RawPublish message) {
		BitSet received = received(message.topic);
		int number = NumberedPublisher.number(message);
		if (!this.refused) {
			assertThat(number).as("next message with topic %s", message.topic).isEqualTo(received.length());
		}
		assertThat(received.get(number)).as("earlier message %d with topic %s", number, message.topic).isFalse();
		synchronized (this.received) {
			received.set(number);
		}
	}

}
