package io.statestore.dafka.node.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import zmq.Msg;
import zmq.ZError;
import zmq.io.Metadata;
import zmq.io.coder.v2.V2Decoder;
import zmq.io.mechanism.Mechanism;
import zmq.msg.MsgAllocator;
import zmq.util.Errno;

/**
 * One side of a connection with CURVE (ZeroMQ RFC 25 and 26). Replaces the implementation
 * of JeroMQ 0.6.0, which accepts a server without any key and bypasses
 * {@link ConnectionGuard} (decision 35). Used by the I/O thread. Never throws because of
 * what a peer sends.
 */
abstract class CurveHandshake extends Mechanism {

	/** Number of bytes by which a frame on the wire is longer than its content. */
	static final int FRAME_OVERHEAD = 33;

	static final byte[] HELLO = name("HELLO");

	static final byte[] WELCOME = name("WELCOME");

	static final byte[] INITIATE = name("INITIATE");

	static final byte[] READY = name("READY");

	static final int HELLO_LENGTH = 200;

	/** Length of the cookie. */
	static final int COOKIE = 96;

	private static final byte[] MESSAGE = name("MESSAGE");

	private static final byte[] ERROR = name("ERROR");

	/** Length of the name of MESSAGE and the counter after it. */
	private static final int HEADER = 16;

	/** Offset of the encrypted flags. */
	private static final int FLAGS = HEADER + CurveBox.OVERHEAD;

	/** Maximum length of a frame before the handshake has ended. */
	private static final int MAX_COMMAND = 1_024;

	private static final int MORE = 1;

	private static final int COMMAND = 2;

	final Connection connection;

	final CurveSecurity security;

	private final Events events;

	private final String sendPrefix;

	private final String receivePrefix;

	private final Errno errno = new Errno();

	private Status status = Status.HANDSHAKING;

	/** Returns the next command of this side, {@code null} if the peer sends next. */
	private @Nullable Supplier<byte @Nullable []> next;

	/** Key of all messages, {@code null} before the handshake has ended. */
	private byte @Nullable [] messageKey;

	private @Nullable Decoder decoder;

	/** Counter of the next command that this side encrypts. */
	private long sendCounter = 1;

	/** Counter of the latest message from the peer. */
	private long receiveCounter;

	/**
	 * Creates one side of a connection.
	 * @param sendPrefix prefix of the nonces of sent messages
	 * @param receivePrefix prefix of the nonces of received messages
	 */
	@SuppressWarnings("NullAway")
	CurveHandshake(Connection connection, CurveSecurity security, Events events, String sendPrefix,
			String receivePrefix) {
		super(null, null, null);
		this.connection = connection;
		this.security = security;
		this.events = events;
		this.sendPrefix = sendPrefix;
		this.receivePrefix = receivePrefix;
	}

	/** Creates the decoder of the connection. */
	Decoder decoder(int bufferSize) {
		Decoder decoder = new Decoder(bufferSize, this::allocate);
		this.decoder = decoder;
		return decoder;
	}

	/**
	 * Creates a frame. Without a key, a peer could otherwise use up the memory for large
	 * frames. An empty frame is invalid, and ends the connection.
	 */
	private Msg allocate(int size) {
		boolean valid = this.status == Status.READY || (size >= 0 && size <= MAX_COMMAND);
		return valid ? this.events.allocate(size) : new Msg();
	}

	/** Returns the bytes with which a command begins. */
	static byte[] name(String name) {
		return ((char) name.length() + name).getBytes(StandardCharsets.US_ASCII);
	}

	static boolean isCommand(byte[] frame, byte[] name) {
		return frame.length >= name.length && Arrays.equals(frame, 0, name.length, name, 0, name.length);
	}

	/** Returns whether the peer sends the next command. */
	boolean isPeersTurn() {
		return this.next == null && this.status == Status.HANDSHAKING;
	}

	/** Handles a command of the handshake, and returns whether it is valid. */
	abstract boolean received(byte[] command);

	/** Sets the next command to send. It is created only when it is sent. */
	void send(Supplier<byte @Nullable []> command) {
		this.next = command;
	}

	static byte[] concat(byte[]... parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			all.writeBytes(part);
		}
		return all.toByteArray();
	}

	static byte[] bytes(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	long nextCounter() {
		return this.sendCounter++;
	}

	/**
	 * Begins to encrypt messages.
	 * @param peer public key of the peer
	 * @param key shared key
	 * @param counter latest counter of the peer
	 * @param socketType type of the socket of the peer
	 */
	void ready(Bytes peer, byte[] key, long counter, String socketType) {
		this.messageKey = key;
		this.receiveCounter = counter;
		this.zapProperties.put(Metadata.USER_ID, Z85.encode(peer));
		this.zmtpProperties.put(Metadata.SOCKET_TYPE, socketType);
		this.events.secured(this.connection, peer);
		this.status = Status.READY;
	}

	private byte[] messageKey() {
		return Objects.requireNonNull(this.messageKey);
	}

	/** Counts and logs why the handshake failed. */
	void refuse(Refusal refusal, String detail) {
		this.events.refused(this.connection, refusal, detail);
	}

	/** Returns the command that ends a handshake, and closes the connection after it. */
	byte[] error(String code) {
		this.status = Status.ERROR;
		// Only reading ends, so that the command is still sent.
		this.connection.close();
		return concat(ERROR, new byte[] { (byte) code.length() }, code.getBytes(StandardCharsets.US_ASCII));
	}

	static boolean isError(byte[] command) {
		return isCommand(command, ERROR);
	}

	/**
	 * Returns the type of the socket of the peer from its metadata.
	 * @return the type, or {@code null} if the metadata are invalid, or no socket of this
	 * type may connect to this one
	 */
	@Nullable String socketType(byte[] text, int offset) {
		String type = parseSocketType(text, offset);
		return (type != null && this.events.isCompatible(type)) ? type : null;
	}

	/** Returns the metadata with the type of a socket. */
	static byte[] metadata(String socketType) {
		byte[] name = Metadata.SOCKET_TYPE.getBytes(StandardCharsets.US_ASCII);
		byte[] type = socketType.getBytes(StandardCharsets.US_ASCII);
		return concat(new byte[] { (byte) name.length }, name,
				ByteBuffer.allocate(Integer.BYTES).putInt(type.length).array(), type);
	}

	/**
	 * Returns the type of a socket from its metadata.
	 * @return the type, or {@code null} if the metadata are invalid
	 */
	private static @Nullable String parseSocketType(byte[] text, int offset) {
		String[] type = new String[1];
		try {
			int result = new Metadata().read(ByteBuffer.wrap(text), offset, (name, value, valueText) -> {
				if (name.equals(Metadata.SOCKET_TYPE)) {
					type[0] = valueText;
				}
				return 0;
			});
			return (result == 0) ? type[0] : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	@Override
	public final int nextHandshakeCommand(Msg message) {
		Supplier<byte @Nullable []> next = this.next;
		this.next = null;
		byte[] command = (next != null) ? next.get() : null;
		if (command == null) {
			return ZError.EAGAIN;
		}
		message.put(command);
		return 0;
	}

	@Override
	public final int processHandshakeCommand(Msg message) {
		byte[] command = content(message);
		if (this.connection.closing || !received(command)) {
			this.connection.close();
			return ZError.EPROTO;
		}
		return 0;
	}

	private static byte[] content(Msg message) {
		return (message instanceof GuardedMessage guarded) ? guarded.take() : message.data();
	}

	@Override
	public final Msg encode(Msg message) {
		byte[] frame = new byte[FRAME_OVERHEAD + message.size()];
		frame[FLAGS] = (byte) ((message.hasMore() ? MORE : 0) | (message.isCommand() ? COMMAND : 0));
		message.getBytes(0, frame, FRAME_OVERHEAD, message.size());
		long counter = nextCounter();
		CurveBox.seal(CurveBox.nonce(this.sendPrefix, counter), messageKey(), frame, HEADER, frame.length - HEADER);
		System.arraycopy(MESSAGE, 0, frame, 0, MESSAGE.length);
		ByteBuffer.wrap(frame).putLong(MESSAGE.length, counter);
		return new Msg(frame);
	}

	@Override
	@SuppressWarnings("NullAway")
	public final @Nullable Msg decode(Msg message) {
		byte[] frame = content(message);
		if (frame.length < FRAME_OVERHEAD || !isCommand(frame, MESSAGE)) {
			return violation();
		}
		long counter = ByteBuffer.wrap(frame).getLong(MESSAGE.length);
		if (Long.compareUnsigned(counter, this.receiveCounter) <= 0) {
			return violation();
		}
		if (!CurveBox.open(CurveBox.nonce(this.receivePrefix, counter), messageKey(), frame, HEADER,
				frame.length - HEADER)) {
			return violation();
		}
		this.receiveCounter = counter;
		int flags = frame[FLAGS];
		GuardedMessage result = this.events.decrypted(frame, FRAME_OVERHEAD, frame.length - FRAME_OVERHEAD);
		result.setFlags(((flags & MORE) != 0) ? Msg.MORE : 0);
		result.setFlags(((flags & COMMAND) != 0) ? Msg.COMMAND : 0);
		if (this.decoder != null) {
			this.decoder.replace(result);
		}
		return result;
	}

	private @Nullable Msg violation() {
		this.errno.set(ZError.EPROTO);
		this.connection.close();
		this.events.refused(this.connection, Refusal.CURVE_VIOLATION, "");
		return null;
	}

	@Override
	public final Status status() {
		return this.status;
	}

	@Override
	public final int zapMsgAvailable() {
		return 0;
	}

	/** Receiver of what happens on a connection. */
	interface Events extends MsgAllocator {

		/** Handles the end of a handshake with the owner of a public key. */
		void secured(Connection connection, Bytes peer);

		/** Handles the failure of a handshake or an invalid message. */
		void refused(Connection connection, Refusal refusal, String detail);

		/** Returns whether a socket of a type may connect to this side. */
		boolean isCompatible(String peerType);

		/** Returns a decrypted frame, which is part of an array. */
		GuardedMessage decrypted(byte[] text, int offset, int size);

	}

	/**
	 * Decoder of a connection with CURVE. Used by the I/O thread.
	 */
	static final class Decoder extends V2Decoder {

		/**
		 * Creates a decoder.
		 * @param bufferSize size of the buffer in bytes
		 * @param allocator creates frames, and checks their length
		 */
		Decoder(int bufferSize, MsgAllocator allocator) {
			super(new Errno(), bufferSize, -1, allocator);
		}

		/**
		 * Replaces the latest frame with its decrypted content. If the queue of the
		 * socket is full, JeroMQ delivers the frame of the decoder later, without
		 * decrypting it again.
		 */
		void replace(Msg decrypted) {
			this.inProgress = decrypted;
		}

	}

}
