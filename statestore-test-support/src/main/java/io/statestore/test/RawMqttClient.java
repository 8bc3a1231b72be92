package io.statestore.test;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * MQTT 5 on a plain socket, with nothing done behind the back of the test but
 * acknowledging what arrives. Shares no code with the broker, so that a mistake in a
 * common codec is seen.
 */
public final class RawMqttClient implements AutoCloseable {

	public static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int CONNACK = 2;

	private static final int PUBLISH = 3;

	private static final int PUBACK = 4;

	private static final int SUBACK = 9;

	private static final int UNSUBACK = 11;

	private static final int DISCONNECT = 14;

	private final Socket socket;

	private final OutputStream out;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final List<RawPublish> messages = new ArrayList<>();

	/** Reason codes by packet type and packet id. */
	private final Map<List<Integer>, Integer> acknowledgements = new HashMap<>();

	private @Nullable Integer connectReason;

	private boolean sessionPresent;

	private @Nullable Integer disconnectReason;

	private boolean ended;

	private int lastPacketId;

	public RawMqttClient(int port) {
		try {
			this.socket = new Socket();
			this.socket.setTcpNoDelay(true);
			this.socket.connect(new InetSocketAddress("127.0.0.1", port), (int) TIMEOUT.toMillis());
			this.out = this.socket.getOutputStream();
			DataInputStream in = new DataInputStream(new BufferedInputStream(this.socket.getInputStream(), 65_536));
			Thread reader = new Thread(() -> readAll(in), "raw-mqtt-reader");
			reader.setDaemon(true);
			reader.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A connection with a session that ends with it. */
	public static RawMqttClient connect(int port, String clientId) {
		return connect(port, clientId, true, 0);
	}

	public static RawMqttClient connect(int port, String clientId, boolean cleanStart, long sessionExpirySeconds) {
		return connect(port, cleanStart ? 2 : 0, sessionExpirySeconds, clientId);
	}

	/** As {@link #connect(int, String)}, with a login. */
	public static RawMqttClient connect(int port, String clientId, String username, String password) {
		return connect(port, 0xC2, 0, clientId, username, password);
	}

	private static RawMqttClient connect(int port, int flags, long sessionExpirySeconds, String... payload) {
		RawMqttClient client = new RawMqttClient(port);
		client.write(PacketWriter.packet(0x10, (packet) -> {
			packet.text("MQTT")
				.u8(5)
				.u8(flags)
				.u16(60)
				.sized((properties) -> properties.u8(0x11).u32(sessionExpirySeconds));
			for (String field : payload) {
				packet.text(field);
			}
		}));
		int reason = client.await(() -> client.connectReason, "CONNACK");
		if (reason != 0) {
			throw new AssertionError("CONNACK 0x" + Integer.toHexString(reason));
		}
		return client;
	}

	public boolean sessionPresent() {
		return this.sessionPresent;
	}

	/** Subscribe at QoS 1 and return the reason code of the SUBACK. */
	public int subscribe(String filter) {
		int id = nextPacketId();
		write(PacketWriter.packet(0x82,
				(packet) -> packet.u16(id).sized((properties) -> properties.bytes(new byte[0])).text(filter).u8(1)));
		return acknowledgement(SUBACK, id);
	}

	public int unsubscribe(String filter) {
		int id = nextPacketId();
		write(PacketWriter.packet(0xA2,
				(packet) -> packet.u16(id).sized((properties) -> properties.bytes(new byte[0])).text(filter)));
		return acknowledgement(UNSUBACK, id);
	}

	/** Send a PUBLISH without waiting for anything, and return its packet id. */
	public int send(RawPublish publish) {
		publish.packetId = (publish.packetId != 0) ? publish.packetId : nextPacketId();
		write(publish.encode());
		return publish.packetId;
	}

	/** The reason code of the PUBACK of a packet. */
	public int puback(int packetId) {
		return acknowledgement(PUBACK, packetId);
	}

	/** Wait for a message and take it. */
	public RawPublish take(Predicate<RawPublish> wanted, String what) {
		return await(() -> {
			RawPublish found = this.messages.stream().filter(wanted).findFirst().orElse(null);
			this.messages.remove(found);
			return found;
		}, what);
	}

	/** What has arrived and was not taken. */
	public List<RawPublish> messages(Predicate<RawPublish> wanted) {
		this.lock.lock();
		try {
			return this.messages.stream().filter(wanted).toList();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The reason code of the DISCONNECT packet that the server sent. */
	public int awaitDisconnect() {
		return await(() -> this.disconnectReason, "DISCONNECT");
	}

	/** The connection is over, with or without a packet that says so. */
	public void awaitEnd() {
		await(() -> this.ended ? true : null, "the end of the connection");
	}

	/** DISCONNECT properly, and wait until the server has closed the connection too. */
	@Override
	public void close() {
		try {
			write(new byte[] { (byte) 0xE0, 0 });
			this.socket.shutdownOutput();
			awaitEnd();
		}
		catch (UncheckedIOException | IOException ex) {
			// The server was faster.
		}
		drop();
	}

	/** Close the socket without a word. */
	public void drop() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private int nextPacketId() {
		this.lastPacketId = this.lastPacketId % 65_535 + 1;
		return this.lastPacketId;
	}

	private int acknowledgement(int type, int id) {
		return await(() -> this.acknowledgements.remove(List.of(type, id)),
				"the acknowledgement " + type + " of packet " + id);
	}

	private <T> T await(Supplier<@Nullable T> condition, String what) {
		this.lock.lock();
		try {
			long nanos = TIMEOUT.toNanos();
			T result = condition.get();
			while (result == null) {
				if (this.ended) {
					throw new AssertionError(
							"The connection ended before " + what + ", DISCONNECT reason " + this.disconnectReason);
				}
				if (nanos <= 0) {
					throw new AssertionError(
							"No " + what + " within " + TIMEOUT.toSeconds() + " s; untaken: " + this.messages);
				}
				nanos = this.changed.awaitNanos(nanos);
				result = condition.get();
			}
			return result;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError("Interrupted while waiting for " + what, ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private synchronized void write(byte[] packet) {
		try {
			this.out.write(packet);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void readAll(DataInputStream in) {
		try {
			while (true) {
				handle(PacketReader.read(in));
			}
		}
		catch (IOException | UncheckedIOException ex) {
			update(() -> this.ended = true);
		}
	}

	private void handle(PacketReader packet) {
		switch (packet.type()) {
			case CONNACK -> update(() -> {
				this.sessionPresent = packet.u8() == 1;
				this.connectReason = packet.u8();
			});
			case PUBLISH -> {
				RawPublish publish = RawPublish.decode(packet);
				update(() -> this.messages.add(publish));
				if (publish.qos == 1) {
					write(new PacketWriter().u8(0x40).u8(2).u16(publish.packetId).toByteArray());
				}
			}
			case PUBACK -> update(
					() -> this.acknowledgements.put(List.of(PUBACK, packet.u16()), packet.atEnd() ? 0 : packet.u8()));
			case SUBACK, UNSUBACK -> update(() -> {
				int id = packet.u16();
				packet.properties();
				this.acknowledgements.put(List.of(packet.type(), id), packet.u8());
			});
			case DISCONNECT -> update(() -> this.disconnectReason = packet.atEnd() ? 0 : packet.u8());
			default -> {
			}
		}
	}

	private void update(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

}
