package io.statestore.client.mqtt.internal;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.util.Set;

import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.packet.MqttConnAck;
import org.eclipse.paho.mqttv5.common.packet.MqttWireMessage;
import org.jspecify.annotations.Nullable;

/**
 * Input stream for Paho: buffered, and without two limits of the CONNACK that Paho
 * misapplies. Paho checks incoming packets against the Maximum Packet Size of the broker.
 * Given a Topic Alias Maximum, it uses topic aliases, incorrectly if two threads publish.
 * The client checks sizes itself; see {@link #maximumPacketSize()}.
 */
final class ServerInputStream extends InputStream {

	private static final int CAPACITY = 64 * 1024;

	private static final int CONNACK = 2;

	/**
	 * First bytes of the packets that precede a connection: CONNACK, DISCONNECT, AUTH.
	 */
	private static final Set<Integer> FIRST_BYTES = Set.of(0x20, 0xE0, 0xF0);

	/** First byte of a TLS alert (RFC 8446 section 5.1). No MQTT server sends it. */
	private static final int TLS_ALERT = 0x15;

	/** Maximum length of a packet that is read ahead of Paho. A CONNACK is shorter. */
	private static final int MAX_CONNACK_LENGTH = 64 * 1024;

	private final BufferedInputStream in;

	private final Traffic traffic;

	/** Rest of a packet that was read ahead of Paho, {@code null} if there is none. */
	private @Nullable InputStream inspected;

	/** Whether CONNACK has been read, so that packets pass through. */
	private boolean connected;

	private volatile @Nullable Long maximumPacketSize;

	private volatile @Nullable String serverReference;

	/**
	 * @param traffic delays reading until Paho has written. If Paho's receiver ended
	 * before its other threads have started, Paho would wait for it forever
	 */
	ServerInputStream(InputStream in, Traffic traffic) {
		this.traffic = traffic;
		this.in = new BufferedInputStream(in, CAPACITY) {
			@Override
			public synchronized int available() throws IOException {
				// Paho calls this before every packet. Buffered input saves a system
				// call.
				int buffered = this.count - this.pos;
				return (buffered > 0) ? buffered : super.available();
			}
		};
	}

	/** Returns the Maximum Packet Size of the broker, or {@code null} without a limit. */
	@Nullable Long maximumPacketSize() {
		return this.maximumPacketSize;
	}

	/** Returns the Server Reference of the CONNACK, or {@code null} if there is none. */
	@Nullable String serverReference() {
		return this.serverReference;
	}

	@Override
	public int read() throws IOException {
		try {
			int single = source().read();
			this.traffic.read().moved((single < 0) ? 0 : 1);
			return single;
		}
		catch (IOException ex) {
			throw firstFailure(ex);
		}
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		try {
			int count = source().read(target, offset, length);
			this.traffic.read().moved(Math.max(0, count));
			return count;
		}
		catch (IOException ex) {
			throw firstFailure(ex);
		}
	}

	private IOException firstFailure(IOException failure) {
		IOException writeFailure = this.traffic.writeFailure();
		return (writeFailure != null) ? writeFailure : failure;
	}

	/** Starts a packet. Called by Paho before each of them. */
	@Override
	public int available() throws IOException {
		this.traffic.read().nextPacket();
		if (!this.traffic.hasStartedWriting()) {
			return 0;
		}
		return (this.inspected != null) ? this.inspected.available() : this.in.available();
	}

	@Override
	public void close() throws IOException {
		this.in.close();
	}

	private InputStream source() throws IOException {
		if (this.inspected != null && this.inspected.available() > 0) {
			return this.inspected;
		}
		if (this.connected) {
			this.inspected = null;
			return this.in;
		}
		this.inspected = inspect();
		return (this.inspected != null) ? this.inspected : this.in;
	}

	/** Reads a packet ahead of Paho, {@code null} at the end of the stream. */
	private @Nullable InputStream inspect() throws IOException {
		awaitFirstWrite();
		int first = this.in.read();
		if (first < 0) {
			return null;
		}
		if (first == TLS_ALERT) {
			throw new TlsExpectedException();
		}
		if (!FIRST_BYTES.contains(first)) {
			// Paho would wait for the rest of the packet.
			throw new ProtocolException("The server does not speak MQTT");
		}
		ByteArrayOutputStream packet = new ByteArrayOutputStream();
		packet.write(first);
		int length = readLength(packet);
		if (length > MAX_CONNACK_LENGTH) {
			this.connected = true;
			return new ByteArrayInputStream(packet.toByteArray());
		}
		byte[] body = this.in.readNBytes(length);
		if (body.length < length) {
			throw new EOFException();
		}
		packet.write(body);
		boolean connAck = (first >> 4) == CONNACK;
		this.connected = connAck;
		return new ByteArrayInputStream(connAck ? withoutLimits(packet.toByteArray()) : packet.toByteArray());
	}

	private void awaitFirstWrite() throws IOException {
		try {
			this.traffic.awaitFirstWrite();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException();
		}
	}

	private int readLength(ByteArrayOutputStream copy) throws IOException {
		int length = 0;
		for (int shift = 0; shift < 28; shift += 7) {
			int next = this.in.read();
			if (next < 0) {
				throw new EOFException();
			}
			copy.write(next);
			length |= (next & 0x7F) << shift;
			if (next < 0x80) {
				break;
			}
		}
		return length;
	}

	private byte[] withoutLimits(byte[] packet) {
		try {
			MqttConnAck connAck = (MqttConnAck) MqttWireMessage.createWireMessage(packet);
			this.maximumPacketSize = connAck.getProperties().getMaximumPacketSize();
			this.serverReference = connAck.getProperties().getServerReference();
			connAck.getProperties().setMaximumPacketSize(null);
			connAck.getProperties().setTopicAliasMaximum(null);
			return connAck.serialize();
		}
		catch (MqttException | RuntimeException ex) {
			// Paho reads the same bytes and reports the error.
			return packet;
		}
	}

}
