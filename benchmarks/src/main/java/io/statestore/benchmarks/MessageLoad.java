package io.statestore.benchmarks;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import javax.net.SocketFactory;

/**
 * One publisher of ordinary messages and its subscribers on blocking sockets, which cost
 * less than any MQTT library. The publisher never has more messages on their way than a
 * window, so no broker has to drop any.
 */
final class MessageLoad implements AutoCloseable {

	private static final int PAYLOAD = 100;

	/** Maximum number of messages that the slowest subscriber has not received. */
	private static final int WINDOW = 2_000;

	private static final int BATCH = 64;

	private static final int PUBLISH = 3;

	private static final int PUBACK = 4;

	private static final String TOPIC = "benchmark/messages";

	private final int qos;

	private final List<Connection> subscribers = new ArrayList<>();

	private final Connection publisher;

	private final byte[] batch;

	private final int packetSize;

	private volatile long sent;

	private volatile boolean closed;

	/**
	 * Connects all clients.
	 * @param persistent whether the sessions of subscribers outlive their connections
	 */
	MessageLoad(SocketFactory sockets, int port, int subscribers, int qos, boolean persistent) throws IOException {
		this.qos = qos;
		for (int i = 0; i < subscribers; i++) {
			Connection subscriber = new Connection(sockets, port, "subscriber-" + i, persistent);
			subscriber.send(0x82, MqttPacket.body((body) -> {
				body.write(new byte[] { 0, 1, 0 });
				body.writeUTF(TOPIC);
				body.write(qos);
			}));
			start(() -> subscriber.count(PUBLISH));
			this.subscribers.add(subscriber);
		}
		this.publisher = new Connection(sockets, port, "publisher", false);
		start(() -> this.publisher.count(PUBACK));
		byte[] message = MqttPacket.body((body) -> {
			body.writeUTF(TOPIC);
			body.write(new byte[2 * qos + 1 + PAYLOAD]);
		});
		byte[] packet = MqttPacket.of(PUBLISH << 4 | qos << 1, message.length, message);
		this.packetSize = packet.length;
		this.batch = new byte[BATCH * packet.length];
		for (int i = 0; i < BATCH; i++) {
			System.arraycopy(packet, 0, this.batch, i * packet.length, packet.length);
		}
	}

	/** Publishes for a second, and returns the messages received per second by all. */
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
		start(() -> {
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

	void disconnectSubscribers() throws IOException {
		for (Connection subscriber : this.subscribers) {
			subscriber.close();
		}
		this.subscribers.clear();
	}

	/** Returns the number of messages that all subscribers have received. */
	long slowest() {
		long least = (this.qos > 0) ? this.publisher.count.get() : this.sent;
		for (Connection subscriber : this.subscribers) {
			least = Math.min(least, subscriber.count.get());
		}
		return least;
	}

	private void send(int count) throws IOException {
		int idAt = this.packetSize - PAYLOAD - 3;
		for (int i = 0; this.qos > 0 && i < count; i++) {
			int id = (int) ((this.sent + i) % 0xFFFF) + 1;
			this.batch[i * this.packetSize + idAt] = (byte) (id >> 8);
			this.batch[i * this.packetSize + idAt + 1] = (byte) id;
		}
		this.publisher.output.write(this.batch, 0, count * this.packetSize);
		this.sent += count;
	}

	private long received() {
		return this.subscribers.stream().mapToLong((each) -> each.count.get()).sum();
	}

	private static void start(Callable<?> task) {
		Thread thread = new Thread(new FutureTask<>(task), "load");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.closed = true;
		this.publisher.close();
		disconnectSubscribers();
	}

	/** A connection whose messages, or acknowledgments, are counted by a thread. */
	private static final class Connection implements AutoCloseable {

		private final AtomicLong count = new AtomicLong();

		private final Socket socket;

		private final OutputStream output;

		private final DataInputStream input;

		Connection(SocketFactory sockets, int port, String clientId, boolean persistent) throws IOException {
			this.socket = sockets.createSocket("localhost", port);
			this.socket.setTcpNoDelay(true);
			this.output = this.socket.getOutputStream();
			this.input = new DataInputStream(new BufferedInputStream(this.socket.getInputStream(), 1 << 16));
			byte[] properties = persistent ? new byte[] { 5, 0x11, 0, 0, 0x10, 0 } : new byte[1];
			send(0x10, MqttPacket.connect(clientId, properties, null));
		}

		/** Sends a packet, and reads its answer, whose type follows its own. */
		void send(int header, byte[] rest) throws IOException {
			this.output.write(MqttPacket.of(header, rest.length, rest));
			int answer = this.input.readUnsignedByte();
			byte[] body = this.input.readNBytes(this.input.readByte());
			if (answer >> 4 != (header >> 4) + 1 || answer >> 4 == 9 && body[body.length - 1] < 0) {
				throw new IOException("Unexpected answer " + answer);
			}
		}

		/** Counts packets of a type, all of which are shorter than 128 bytes. */
		Void count(int type) throws IOException {
			ByteBuffer acknowledgments = ByteBuffer.allocate(4 * BATCH);
			byte[] rest = new byte[1 << 7];
			while (true) {
				int header = this.input.readUnsignedByte();
				this.input.readFully(rest, 0, this.input.readByte());
				if (header >> 4 != type) {
					throw new IOException("Unexpected packet " + header);
				}
				this.count.incrementAndGet();
				if (type == PUBLISH && (header & 2) != 0) {
					acknowledgments.put((byte) (PUBACK << 4)).put((byte) 2).put(rest, 2 + TOPIC.length(), 2);
				}
				if (acknowledgments.position() > 0
						&& (!acknowledgments.hasRemaining() || this.input.available() == 0)) {
					this.output.write(acknowledgments.array(), 0, acknowledgments.position());
					acknowledgments.clear();
				}
			}
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
