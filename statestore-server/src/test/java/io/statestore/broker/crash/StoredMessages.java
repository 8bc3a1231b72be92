package io.statestore.broker.crash;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that publishes numbered QoS 1 messages until it is stopped, with several
 * messages in flight.
 */
final class StoredMessages implements Callable<Void> {

	/** Reason code of a message that was refused because the disk is full. */
	static final int REFUSED = 0x97;

	private static final int IN_FLIGHT = 10;

	private static final String END = "end";

	private static final String PADDING = ".".repeat(10_000);

	private final RawMqttConnection connection;

	private final String topic;

	private final int first;

	private final Map<Integer, Integer> sent = new HashMap<>();

	private final Set<Integer> accepted = ConcurrentHashMap.newKeySet();

	private final AtomicInteger refused = new AtomicInteger();

	private volatile boolean stopped;

	/**
	 * Creates a client that has not published yet.
	 * @param connection the client's connection
	 * @param topic topic to publish to
	 * @param first number of the first message
	 */
	StoredMessages(RawMqttConnection connection, String topic, int first) {
		this.connection = connection;
		this.topic = topic;
		this.first = first;
	}

	/** Returns a message's number, after checking that the message is complete. */
	static int number(RawPublish message) {
		String text = message.text();
		int number = Integer.parseInt(text.substring(0, text.indexOf('.')));
		assertThat(text).isEqualTo(number + PADDING);
		return number;
	}

	/**
	 * Starts or continues a session that outlives its connection.
	 * @param port port of the broker
	 * @param clean whether to start the session; if not, it must exist
	 * @return the connection
	 */
	static RawMqttConnection subscriber(int port, boolean clean) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(port);
		RawConnect connect = RawConnect.of("subscriber", PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600));
		assertThat(connection.connect(connect.cleanStart(clean)).sessionPresent()).isNotEqualTo(clean);
		return connection;
	}

	/**
	 * Receives and acknowledges all messages that wait for a subscriber.
	 * @return the messages' numbers
	 */
	static Set<Integer> receiveAll(RawMqttConnection subscriber, String topic, int port) throws IOException {
		Set<Integer> received = new HashSet<>();
		try (RawMqttConnection publisher = RawMqttConnection.connected(port, "end")) {
			// The acknowledgment of an earlier end message may have been lost, so use a
			// unique message.
			String end = END + System.nanoTime();
			publisher.send(publisher.publish(topic, 1, end));
			RawPublish message = subscriber.receivePublish();
			while (!message.text().equals(end)) {
				if (!message.text().startsWith(END)) {
					received.add(number(message));
				}
				subscriber.acknowledge(message);
				message = subscriber.receivePublish();
			}
			subscriber.acknowledge(message);
		}
		return received;
	}

	/** Returns the numbers of the messages that the broker has acknowledged. */
	Set<Integer> accepted() {
		return this.accepted;
	}

	int refused() {
		return this.refused.get();
	}

	/** Ends the client when all messages are answered. */
	void stop() {
		this.stopped = true;
	}

	@Override
	public Void call() throws IOException {
		int number = this.first;
		while (!this.stopped || !this.sent.isEmpty()) {
			while (!this.stopped && this.sent.size() < IN_FLIGHT) {
				RawPublish message = this.connection.publish(this.topic, 1, number + PADDING);
				this.sent.put(message.packetId, number++);
				this.connection.send(message);
			}
			answered((RawControl) this.connection.read());
		}
		return null;
	}

	private void answered(RawControl answer) {
		if (answer.type() != PacketType.PUBACK || (answer.reason() != 0 && answer.reason() != REFUSED)) {
			throw new AssertionError("Unexpected answer: " + answer);
		}
		Integer number = this.sent.remove(answer.packetId());
		if (answer.reason() == 0) {
			this.accepted.add(number);
		}
		else {
			this.refused.incrementAndGet();
		}
	}

}
