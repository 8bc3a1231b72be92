package io.statestore.benchmarks;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import javax.net.SocketFactory;

import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;

/**
 * One publisher of ordinary messages and its subscribers on blocking sockets, which cost
 * less than any MQTT library. The number of messages in flight never exceeds a window, so
 * brokers need not drop any.
 */
final class MessageLoad implements AutoCloseable {

	private static final int PAYLOAD = 100;

	/** Maximum number of messages that the slowest subscriber has not received. */
	private static final int WINDOW = 2_000;

	private static final int BATCH = 100;

	private static final int SESSION_SECONDS = 4_096;

	private static final int PUBLISH = 3;

	private static final int PUBACK = 4;

	/** Length of a topic name. */
	private static final int TOPIC_LENGTH = topic(0).length();

	private final int qos;

	private final List<Connection> subscribers = new ArrayList<>();

	private final Connection publisher;

	/** Encoded messages that differ only in their topics and packet IDs. */
	private final ByteBuffer batch;

	private final int packetSize;

	private volatile long sent;

	private volatile boolean closed;

	MessageLoad(SocketFactory sockets, int port, int subscribers, int qos, boolean persistent) throws IOException {
		this(sockets, port, subscribers, qos, persistent, 1);
	}

	/**
	 * Connects all clients.
	 * @param persistent whether the sessions of subscribers outlive their connections
	 * @param topics number of topics, at most 100, used in turn
	 */
	MessageLoad(SocketFactory sockets, int port, int subscribers, int qos, boolean persistent, int topics)
			throws IOException {
		this.qos = qos;
		for (int i = 0; i < subscribers; i++) {
			Connection subscriber = new Connection(sockets, port, "subscriber-" + i, persistent);
			for (int j = 0; j < topics; j++) {
				subscriber.mqtt.subscribed(topic(j), qos);
			}
			subscriber.count(PUBLISH);
			this.subscribers.add(subscriber);
		}
		this.publisher = new Connection(sockets, port, "publisher", false);
		this.publisher.count(PUBACK);
		byte[][] packets = new byte[topics][];
		Arrays.setAll(packets, (number) -> RawPublish.of((message) -> {
			message.topic = topic(number);
			message.qos = qos;
			message.payload = new byte[PAYLOAD];
		}).encode(RawPacket.MQTT_5));
		this.packetSize = packets[0].length;
		this.batch = ByteBuffer.allocate(BATCH * this.packetSize);
		for (int i = 0; i < BATCH; i++) {
			this.batch.put(packets[i % topics]);
		}
	}

	private static String topic(int number) {
		return String.format(Locale.ROOT, "benchmark/messages/%02d", number);
	}

	/**
	 * Publishes for a second. Returns the number of messages per second received by all
	 * subscribers together.
	 */
	double measure() throws IOException {
		long start = System.nanoTime();
		long before = received();
		while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1)) {
			if (this.sent - slowest() > WINDOW) {
				LockSupport.parkNanos(20_000);
			}
			else {
				send(BATCH);
			}
		}
		while (slowest() < this.sent) {
			LockSupport.parkNanos(20_000);
			if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(30)) {
				throw new IOException("Messages were lost: " + slowest() + " of " + this.sent + " were received");
			}
		}
		return Measures.perSecond(received() - before, start);
	}

	/** Publishes messages at a rate until closed. */
	void start(int perSecond) {
		run(() -> {
			long start = System.nanoTime();
			while (!this.closed) {
				LockSupport.parkNanos(1_000_000);
				long due = perSecond * (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1);
				while (this.sent < due && this.sent - slowest() <= WINDOW) {
					send((int) Math.min(BATCH, due - this.sent));
				}
			}
			return null;
		});
	}

	/**
	 * Returns how many messages the slowest subscriber has received, or the broker has
	 * acknowledged if these are fewer.
	 */
	long slowest() {
		long least = (this.qos > 0) ? this.publisher.count.get() : this.sent;
		for (Connection subscriber : this.subscribers) {
			least = Math.min(least, subscriber.count.get());
		}
		return least;
	}

	private void send(int count) throws IOException {
		for (int i = 0; this.qos > 0 && i < count; i++) {
			this.batch.putShort((i + 1) * this.packetSize - PAYLOAD - 3, (short) ((this.sent + i) % 0xFFFF + 1));
		}
		this.publisher.output.write(this.batch.array(), 0, count * this.packetSize);
		this.sent += count;
	}

	private long received() {
		return this.subscribers.stream().mapToLong((each) -> each.count.get()).sum();
	}

	private static void run(Callable<?> task) {
		Thread thread = new Thread(new FutureTask<>(task), "load");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.closed = true;
		this.publisher.mqtt.close();
		for (Connection subscriber : this.subscribers) {
			subscriber.mqtt.close();
		}
	}

	/** A connection with a thread that counts its messages or acknowledgments. */
	private static final class Connection {

		private final AtomicLong count = new AtomicLong();

		private final Socket socket;

		private final RawMqttConnection mqtt;

		private final OutputStream output;

		Connection(SocketFactory sockets, int port, String clientId, boolean persistent) throws IOException {
			this.socket = sockets.createSocket();
			this.mqtt = new RawMqttConnection(this.socket, port);
			this.output = this.socket.getOutputStream();
			this.mqtt.connect(
					RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(persistent ? SESSION_SECONDS : 0))
						.keepAlive(0));
		}

		/** Counts packets of a type, all of which are shorter than 128 bytes. */
		void count(int type) throws IOException {
			this.socket.setSoTimeout(0);
			DataInputStream input = new DataInputStream(new BufferedInputStream(this.socket.getInputStream(), 1 << 16));
			run(() -> {
				ByteBuffer acknowledgments = ByteBuffer.allocate(4 * BATCH);
				byte[] rest = new byte[1 << 8];
				while (true) {
					int header = input.readUnsignedByte();
					input.readFully(rest, 0, input.readByte());
					if (header >> 4 != type) {
						throw new IOException("Unexpected packet " + header);
					}
					this.count.incrementAndGet();
					if (type == PUBLISH && (header & 2) != 0) {
						acknowledgments.put((byte) (PUBACK << 4)).put((byte) 2).put(rest, 2 + TOPIC_LENGTH, 2);
					}
					if (acknowledgments.position() > 0 && (!acknowledgments.hasRemaining() || input.available() == 0)) {
						this.output.write(acknowledgments.array(), 0, acknowledgments.position());
						acknowledgments.clear();
					}
				}
			});
		}

	}

}
