package io.statestore.test;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;

/**
 * MQTT on a plain socket, packet by packet: sends whatever the test passes and returns
 * each packet that arrives. Does not acknowledge anything on its own and reads only when
 * the test does, so that tests can act as slow or hostile clients. Shares no code with
 * the broker, because tests would miss mistakes in a common codec.
 *
 * @see RawMqttClient
 */
public final class RawMqttConnection implements AutoCloseable {

	/** Timeout of each wait. Allows for a machine that also runs other builds. */
	static final Duration TIMEOUT = Duration.ofSeconds(20);

	/**
	 * Timeout for the end of a connection. It is shorter than the timers with which the
	 * broker closes idle connections, of which the shortest is 5 s. A test therefore
	 * fails if only such a timer closes the connection.
	 */
	static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(4);

	/** Socket factories by port, for ports that use TLS. */
	private static final Map<Integer, SocketFactory> tlsPorts = new ConcurrentHashMap<>();

	private final Socket socket;

	private final OutputStream out;

	private final PacketReader in;

	private volatile int version = RawPacket.MQTT_5;

	private int lastPacketId;

	/**
	 * Connects a socket without sending anything.
	 * @param port the broker's port on 127.0.0.1
	 * @throws IOException if the connection fails
	 */
	public RawMqttConnection(int port) throws IOException {
		this(tlsPorts.getOrDefault(port, SocketFactory.getDefault()).createSocket(), port);
	}

	/**
	 * Connects a socket without sending anything. A TLS socket starts its handshake.
	 * @param socket a socket that is not connected yet
	 * @param port the broker's port on 127.0.0.1
	 * @throws IOException if the connection or the handshake fails
	 */
	public RawMqttConnection(Socket socket, int port) throws IOException {
		this(socket, new InetSocketAddress("127.0.0.1", port), TIMEOUT);
	}

	/**
	 * Connects a socket to another address without sending anything.
	 * @param address the broker's address
	 * @param timeout connection timeout
	 * @throws IOException if the connection fails
	 */
	public RawMqttConnection(InetSocketAddress address, Duration timeout) throws IOException {
		this(new Socket(), address, timeout);
	}

	private RawMqttConnection(Socket socket, InetSocketAddress address, Duration timeout) throws IOException {
		this.socket = socket;
		this.socket.setTcpNoDelay(true);
		this.socket.connect(address, (int) timeout.toMillis());
		if (socket instanceof SSLSocket tls) {
			tls.startHandshake();
		}
		this.out = this.socket.getOutputStream();
		this.in = new PacketReader(new BufferedInputStream(this.socket.getInputStream(), 64 * 1024));
	}

	/**
	 * Uses TLS for all later connections to a port.
	 * @param port port on 127.0.0.1
	 * @param sockets creates unconnected sockets
	 */
	public static void useTls(int port, SocketFactory sockets) {
		tlsPorts.put(port, sockets);
	}

	/**
	 * Uses TCP again for all later connections to a port. Must be called before the port
	 * is closed, because the operating system may assign it to another test's broker.
	 * @param port port on 127.0.0.1
	 */
	public static void useTcp(int port) {
		tlsPorts.remove(port);
	}

	/**
	 * Connects as a client with a clean session that ends with the connection.
	 * @param port the broker's port on 127.0.0.1
	 * @param clientId MQTT client ID
	 * @return the connection, after the CONNACK
	 * @throws IOException if the connection fails
	 */
	public static RawMqttConnection connected(int port, String clientId) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(port);
		connection.connect(clientId);
		return connection;
	}

	/**
	 * Sends a CONNECT and waits for the CONNACK, whatever its reason code.
	 * @param clientId MQTT client ID
	 * @param properties properties of the CONNECT
	 * @return the CONNACK packet
	 * @throws IOException if the connection fails
	 */
	public RawControl connect(String clientId, RawProperty... properties) throws IOException {
		return connect(RawConnect.of(clientId, properties));
	}

	/**
	 * Sends a CONNECT and waits for the CONNACK, whatever its reason code.
	 * @param connect the CONNECT packet
	 * @return the CONNACK packet
	 * @throws IOException if the connection fails
	 */
	public RawControl connect(RawConnect connect) throws IOException {
		send(connect);
		return receive(PacketType.CONNACK);
	}

	/**
	 * Sends packets in a single write. A CONNECT sets this connection's MQTT version.
	 * @param packets packets to send
	 * @throws IOException if the connection fails
	 */
	public void send(RawPacket... packets) throws IOException {
		sendBytes(encode(packets));
	}

	/**
	 * Returns the bytes of packets without sending them.
	 * @param packets packets to encode
	 * @return bytes of all packets, in order
	 */
	public byte[] encode(RawPacket... packets) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (RawPacket packet : packets) {
			if (packet instanceof RawConnect connect) {
				this.version = connect.version();
			}
			bytes.writeBytes(packet.encode(this.version));
		}
		return bytes.toByteArray();
	}

	/**
	 * Sends bytes, whether or not they form packets.
	 * @param bytes bytes to send
	 * @throws IOException if the connection fails
	 */
	public synchronized void sendBytes(byte... bytes) throws IOException {
		this.out.write(bytes);
	}

	/**
	 * Returns the next packet ID, starting at 1 again after 65,535.
	 * @return the packet ID
	 */
	public int nextPacketId() {
		this.lastPacketId = this.lastPacketId % 0xFFFF + 1;
		return this.lastPacketId;
	}

	/**
	 * Creates a PUBLISH with the next packet ID, without sending it.
	 * @param topic topic name
	 * @param qos QoS, from 0 to 2
	 * @param payload payload, encoded as UTF-8
	 * @param properties properties of the PUBLISH
	 * @return a new packet
	 */
	public RawPublish publish(String topic, int qos, String payload, RawProperty... properties) {
		RawPublish publish = new RawPublish();
		publish.topic = topic;
		publish.qos = qos;
		publish.payload = payload.getBytes(StandardCharsets.UTF_8);
		publish.packetId = (qos > 0) ? nextPacketId() : 0;
		List.of(properties).forEach(publish::set);
		return publish;
	}

	/**
	 * Creates a SUBSCRIBE with the next packet ID, without sending it.
	 * @param filter topic filter
	 * @param options subscription options, whose lowest two bits are the QoS
	 * @param properties properties of the SUBSCRIBE
	 * @return a new packet
	 */
	public RawControl subscribe(String filter, int options, RawProperty... properties) {
		return RawControl.subscribe(this.version, nextPacketId(), List.of(properties), List.of(filter), options);
	}

	/**
	 * Creates a SUBSCRIBE to several filters at QoS 1, without sending it.
	 * @param filters topic filters
	 * @return a new packet
	 */
	public RawControl subscribe(List<String> filters) {
		return RawControl.subscribe(this.version, nextPacketId(), List.of(), filters, 1);
	}

	/**
	 * Subscribes, waits for the SUBACK, and requires it to grant the QoS.
	 * @param filter topic filter
	 * @param qos QoS, from 0 to 2
	 * @param properties properties of the SUBSCRIBE
	 * @throws IOException if the connection fails
	 */
	public void subscribed(String filter, int qos, RawProperty... properties) throws IOException {
		send(subscribe(filter, qos, properties));
		List<Integer> reasons = receive(PacketType.SUBACK).reasons();
		if (!reasons.equals(List.of(qos))) {
			throw new AssertionError("SUBACK of " + filter + ": " + reasons);
		}
	}

	/**
	 * Creates an UNSUBSCRIBE with the next packet ID, without sending it.
	 * @param filter topic filter
	 * @return a new packet
	 */
	public RawControl unsubscribe(String filter) {
		return RawControl.unsubscribe(this.version, nextPacketId(), filter);
	}

	/**
	 * Unsubscribes and waits for the UNSUBACK.
	 * @param filter topic filter
	 * @throws IOException if the connection fails
	 */
	public void unsubscribed(String filter) throws IOException {
		send(unsubscribe(filter));
		receive(PacketType.UNSUBACK);
	}

	/**
	 * Sends the PUBACK for a message.
	 * @param publish message to acknowledge
	 * @throws IOException if the connection fails
	 */
	public void acknowledge(RawPublish publish) throws IOException {
		send(RawControl.acknowledgment(PacketType.PUBACK, publish.packetId));
	}

	/**
	 * Sends a PINGREQ and waits for the PINGRESP. Afterward, everything that the broker
	 * sent before has arrived.
	 * @throws IOException if the connection fails
	 */
	public void ping() throws IOException {
		send(RawControl.ping());
		receive(PacketType.PINGRESP);
	}

	/**
	 * Waits for the next packet, which must be a PUBLISH.
	 * @return the PUBLISH packet
	 * @throws IOException if the connection fails
	 */
	public RawPublish receivePublish() throws IOException {
		RawPacket packet = receive();
		if (packet instanceof RawPublish publish) {
			return publish;
		}
		throw new AssertionError("Expected PUBLISH, received " + packet);
	}

	/**
	 * Waits for the next packet, which must be of a given type.
	 * @param type packet type, except PUBLISH
	 * @return a packet of this type
	 * @throws IOException if the connection fails
	 */
	public RawControl receive(PacketType type) throws IOException {
		RawPacket packet = receive();
		if (packet instanceof RawControl control && control.type() == type) {
			return control;
		}
		throw new AssertionError("Expected " + type + ", received " + packet);
	}

	/**
	 * Waits for the next packet, which must be of a given type, and returns its reason
	 * code.
	 * @param type packet type, except PUBLISH
	 * @return a code from 0 to 255
	 * @throws IOException if the connection fails
	 */
	public int receiveReason(PacketType type) throws IOException {
		return receive(type).reason();
	}

	/**
	 * Waits for the next packet.
	 * @return the packet, of any type
	 * @throws IOException if the connection fails
	 * @throws AssertionError if the connection ends or no packet arrives before the
	 * timeout
	 */
	public RawPacket receive() throws IOException {
		try {
			return read(TIMEOUT);
		}
		catch (EOFException | SocketTimeoutException ex) {
			throw new AssertionError("The broker closed the connection, or sent nothing within " + TIMEOUT, ex);
		}
	}

	/**
	 * Waits for the next packet, without a timeout.
	 * @return the packet, of any type
	 * @throws IOException if the connection ends
	 */
	public RawPacket read() throws IOException {
		return read(Duration.ZERO);
	}

	/**
	 * Waits for the next packet. The connection is unusable after a timeout.
	 * @param timeout maximum wait, at least 1 ms, or zero for no limit
	 * @return the packet, of any type
	 * @throws IOException if the connection ends or no packet arrives before the timeout
	 */
	public RawPacket read(Duration timeout) throws IOException {
		this.socket.setSoTimeout((int) timeout.toMillis());
		int header = this.in.readUnsignedByte();
		PacketReader content = this.in.sized();
		PacketType type = PacketType.of(header >>> 4);
		return (type == PacketType.PUBLISH) ? RawPublish.decode(header, content, this.version)
				: new RawControl(type, content, this.version);
	}

	/**
	 * Requires the broker to close the connection within 4 s, without sending another
	 * packet.
	 * @throws IOException if this socket is already closed
	 */
	public void assertClosed() throws IOException {
		this.socket.setSoTimeout((int) CLOSE_TIMEOUT.toMillis());
		int next;
		try {
			next = this.in.read();
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The connection is still open after " + CLOSE_TIMEOUT, ex);
		}
		catch (IOException ex) {
			next = -1;
		}
		if (next >= 0) {
			throw new AssertionError("Expected the end of the connection, received " + PacketType.of(next >>> 4));
		}
	}

	/**
	 * Reads a byte.
	 * @return the byte; -1 at the orderly end of the connection
	 * @throws IOException if the connection fails
	 */
	public int readByte() throws IOException {
		return this.in.read();
	}

	/**
	 * Reads and ignores all bytes until the connection ends.
	 * @throws IOException if the connection fails
	 */
	public void readToEnd() throws IOException {
		this.socket.setSoTimeout((int) CLOSE_TIMEOUT.toMillis());
		this.in.transferTo(OutputStream.nullOutputStream());
	}

	/** Ends the sending side of the connection. */
	void shutdownOutput() throws IOException {
		this.socket.shutdownOutput();
	}

	/**
	 * Resets the connection, which the broker notices immediately.
	 * @throws IOException if the socket is already closed
	 */
	public void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	/** Closes the socket without a DISCONNECT. */
	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
