package io.statestore.dafka.node.internal;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A connection that speaks ZMTP 3 byte by byte (ZeroMQ RFC 23), so that tests can send
 * greetings and frames that no library would send. Connects only to ports on this
 * machine.
 */
public final class ZmtpClient implements AutoCloseable {

	/** Flag of a frame that another frame of the same message follows. */
	public static final int MORE = 1;

	/** Flag of a frame whose length field has eight bytes. */
	public static final int LONG = 2;

	/** Flag of a command. */
	public static final int COMMAND = 4;

	/** Length of a greeting, in bytes. */
	public static final int GREETING_LENGTH = 64;

	private static final int MAX_SHORT = 255;

	private final Socket socket;

	private ZmtpClient(Socket socket) {
		this.socket = socket;
	}

	/**
	 * Connects without sending anything.
	 * @param port port on this machine
	 * @return a connection before the greeting
	 */
	public static ZmtpClient connect(int port) {
		try {
			Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
			socket.setTcpNoDelay(true);
			return new ZmtpClient(socket);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wraps a connection that a node made.
	 * @param socket accepted socket
	 * @return a connection before the greeting
	 */
	public static ZmtpClient accepted(Socket socket) {
		return new ZmtpClient(socket);
	}

	/**
	 * Connects and completes the handshake.
	 * @param port port on this machine
	 * @param socketType socket type to claim, such as {@code SUB}
	 * @return the connection, ready for messages
	 */
	public static ZmtpClient handshake(int port, String socketType) {
		ZmtpClient client = connect(port);
		client.send(greeting(), ready(socketType));
		client.skipHandshake();
		return client;
	}

	/**
	 * Returns a valid greeting: ZMTP 3.0, mechanism NULL, as client.
	 * @return 64 bytes
	 */
	public static byte[] greeting() {
		return greeting(3, 0, "NULL");
	}

	/**
	 * Returns a greeting.
	 * @param major major version, of which JeroMQ knows 0, 1, and 3
	 * @param minor minor version
	 * @param mechanism name of the security mechanism, up to 20 characters
	 * @return 64 bytes
	 */
	public static byte[] greeting(int major, int minor, String mechanism) {
		ByteBuffer greeting = ByteBuffer.allocate(GREETING_LENGTH);
		greeting.put((byte) 0xFF).putLong(0).put((byte) 0x7F).put((byte) major).put((byte) minor);
		greeting.put(mechanism.getBytes(StandardCharsets.US_ASCII));
		return greeting.array();
	}

	/**
	 * Returns the READY command for a handshake with mechanism NULL.
	 * @param socketType socket type to claim, such as {@code SUB}
	 * @return bytes of the frame
	 */
	public static byte[] ready(String socketType) {
		return command("READY", property("Socket-Type", socketType));
	}

	/**
	 * Returns a metadata property for READY.
	 * @param name property name, up to 255 characters
	 * @param value property value
	 * @return bytes of the encoded property
	 */
	public static byte[] property(String name, String value) {
		byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
		return ByteBuffer.allocate(1 + name.length() + 4 + bytes.length)
			.put((byte) name.length())
			.put(name.getBytes(StandardCharsets.US_ASCII))
			.putInt(bytes.length)
			.put(bytes)
			.array();
	}

	/**
	 * Returns a command frame.
	 * @param name name of the command, such as {@code PING}
	 * @param data parts of the command's data
	 * @return bytes of the frame
	 */
	public static byte[] command(String name, byte[]... data) {
		byte[] prefix = new byte[1 + name.length()];
		prefix[0] = (byte) name.length();
		System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, prefix, 1, name.length());
		return frame(COMMAND, concat(prefix, concat(data)));
	}

	/**
	 * Returns the message that subscribes to a prefix.
	 * @param prefix prefix of the messages to receive
	 * @return bytes of the frame
	 */
	public static byte[] subscription(byte[] prefix) {
		return frame(0, concat(new byte[] { 1 }, prefix));
	}

	/**
	 * Returns a frame with a correct length.
	 * @param flags {@link #MORE} or {@link #COMMAND}; {@link #LONG} is added if necessary
	 * @param body frame content
	 * @return bytes of the frame
	 */
	public static byte[] frame(int flags, byte[] body) {
		if (body.length > MAX_SHORT || (flags & LONG) != 0) {
			return longFrame(flags, body.length, body);
		}
		return concat(new byte[] { (byte) flags, (byte) body.length }, body);
	}

	/**
	 * Returns the frames of a message.
	 * @param contents content of each frame
	 * @return bytes of all frames
	 */
	public static byte[] message(List<byte[]> contents) {
		byte[][] frames = new byte[contents.size()][];
		for (int i = 0; i < frames.length; i++) {
			frames[i] = frame((i + 1 < frames.length) ? MORE : 0, contents.get(i));
		}
		return concat(frames);
	}

	/**
	 * Returns a frame that announces any length, in an eight-byte field.
	 * @param flags flags; {@link #LONG} is added
	 * @param length length to announce
	 * @param body bytes that follow
	 * @return bytes of the frame
	 */
	public static byte[] longFrame(int flags, long length, byte[] body) {
		return ByteBuffer.allocate(9 + body.length).put((byte) (flags | LONG)).putLong(length).put(body).array();
	}

	/**
	 * Joins arrays.
	 * @param parts arrays to join, in order
	 * @return a new array with all bytes
	 */
	public static byte[] concat(byte[]... parts) {
		int length = 0;
		for (byte[] part : parts) {
			length += part.length;
		}
		ByteBuffer all = ByteBuffer.allocate(length);
		for (byte[] part : parts) {
			all.put(part);
		}
		return all.array();
	}

	/**
	 * Sends bytes in one write.
	 * @param parts bytes to send
	 * @return whether the bytes were written; the peer may have closed the connection
	 */
	public boolean send(byte[]... parts) {
		try {
			this.socket.getOutputStream().write(concat(parts));
			return true;
		}
		catch (SocketException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Receives the peer's greeting and READY command. */
	public void skipHandshake() {
		receive(GREETING_LENGTH);
		receiveFrame();
	}

	/**
	 * Receives bytes, waiting up to 30 s.
	 * @param count number of bytes
	 * @return exactly {@code count} bytes
	 */
	public byte[] receive(int count) {
		try {
			this.socket.setSoTimeout(30_000);
			byte[] bytes = new byte[count];
			new DataInputStream(this.socket.getInputStream()).readFully(bytes);
			return bytes;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Receives a frame, waiting up to 30 s.
	 * @return content of the frame
	 */
	public byte[] receiveFrame() {
		int flags = receive(1)[0];
		int length = ((flags & LONG) != 0) ? (int) ByteBuffer.wrap(receive(8)).getLong() : receive(1)[0] & 0xFF;
		return receive(length);
	}

	/**
	 * Waits until the peer closes the connection, skipping what it sends.
	 * @param timeout maximum wait
	 * @return whether the peer closed the connection
	 */
	public boolean awaitClosed(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		byte[] skipped = new byte[8_192];
		try {
			for (long left = timeout.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
				this.socket.setSoTimeout((int) left);
				if (this.socket.getInputStream().read(skipped) < 0) {
					return true;
				}
			}
			return false;
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
