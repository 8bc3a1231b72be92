package io.statestore.dafka.node.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One side of a CURVE connection (ZeroMQ RFC 25 and 26): handshake, then encryption of
 * messages. Data from a peer never causes an exception. Not thread-safe.
 */
abstract class CurveHandshake {

	/** Number of bytes that encryption adds to a frame's content. */
	static final int FRAME_OVERHEAD = 33;

	static final byte[] HELLO = name("HELLO");

	static final byte[] WELCOME = name("WELCOME");

	static final byte[] INITIATE = name("INITIATE");

	static final byte[] READY = name("READY");

	static final int HELLO_LENGTH = 200;

	/** Length of the cookie, in bytes. */
	static final int COOKIE = 96;

	private static final byte[] MESSAGE = name("MESSAGE");

	private static final byte[] ERROR = name("ERROR");

	/** Length of the command name MESSAGE and the counter after it. */
	private static final int HEADER = 16;

	/** Offset of the encrypted flags. */
	private static final int FLAGS = HEADER + CurveBox.OVERHEAD;

	private static final int MORE = 1;

	private static final int COMMAND = 2;

	private static final int ZMTP_COMMAND = 4;

	final CurveSecurity security;

	private final Events events;

	private final String sendPrefix;

	private final String receivePrefix;

	private Status status = Status.HANDSHAKING;

	/** Key for all messages; {@code null} until the handshake has ended. */
	private byte @Nullable [] messageKey;

	/** The peer's public key; {@code null} until the handshake has ended. */
	private @Nullable Bytes peer;

	private int flags;

	/** Counter of the next command that this side encrypts. */
	private long sendCounter = 1;

	/** Counter in the latest message from the peer. */
	private long receiveCounter;

	/**
	 * Creates one side of a connection.
	 * @param sendPrefix nonce prefix for sent messages
	 * @param receivePrefix nonce prefix for received messages
	 */
	CurveHandshake(CurveSecurity security, Events events, String sendPrefix, String receivePrefix) {
		this.security = security;
		this.events = events;
		this.sendPrefix = sendPrefix;
		this.receivePrefix = receivePrefix;
	}

	/** Returns the bytes with which a command begins. */
	static byte[] name(String name) {
		return ((char) name.length() + name).getBytes(StandardCharsets.US_ASCII);
	}

	static boolean isCommand(byte[] frame, byte[] name) {
		return frame.length >= name.length && Arrays.equals(frame, 0, name.length, name, 0, name.length);
	}

	/**
	 * Begins the handshake.
	 * @return this side's first command, or {@code null} if the peer begins
	 */
	byte @Nullable [] start() {
		return null;
	}

	/** Handles a handshake command and returns the answer, if there is one. */
	abstract byte @Nullable [] received(byte[] command);

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
	 * @param peer the peer's public key
	 * @param key shared key for all messages
	 * @param counter latest counter received from the peer
	 */
	void ready(Bytes peer, byte[] key, long counter) {
		this.messageKey = key;
		this.receiveCounter = counter;
		this.peer = peer;
		this.status = Status.READY;
	}

	final @Nullable Bytes peer() {
		return this.peer;
	}

	final Status status() {
		return this.status;
	}

	private byte[] messageKey() {
		return Objects.requireNonNull(this.messageKey);
	}

	/** Ends the handshake without an answer; counts and logs the reason. */
	byte @Nullable [] refuse(Refusal refusal, String detail) {
		this.events.refused(refusal, detail);
		return fail();
	}

	/** Ends the handshake without an answer. */
	byte @Nullable [] fail() {
		this.status = Status.ERROR;
		return null;
	}

	/** Ends the handshake and returns the error command for the peer. */
	byte[] error(String code) {
		this.status = Status.ERROR;
		return concat(ERROR, new byte[] { (byte) code.length() }, code.getBytes(StandardCharsets.US_ASCII));
	}

	static boolean isError(byte[] command) {
		return isCommand(command, ERROR);
	}

	/**
	 * Returns whether the metadata contains a socket type that may connect to this side.
	 */
	boolean isCompatible(byte[] text, int offset) {
		String type = Metadata.socketType(text, offset);
		return type != null && this.events.isCompatible(type);
	}

	/**
	 * Handles a handshake command. An invalid command ends the handshake with an error.
	 * @return the answer, or {@code null} if there is none
	 */
	final byte @Nullable [] process(byte[] command) {
		return (this.status == Status.HANDSHAKING) ? received(command) : fail();
	}

	/**
	 * Encrypts a frame.
	 * @param flags ZMTP flags, which are encrypted, too
	 * @param content frame content
	 * @return content of the encrypted frame, which has no flags
	 */
	final byte[] encode(int flags, byte[] content) {
		byte[] frame = new byte[FRAME_OVERHEAD + content.length];
		frame[FLAGS] = (byte) ((flags & MORE) | ((flags & ZMTP_COMMAND) / 2));
		System.arraycopy(content, 0, frame, FRAME_OVERHEAD, content.length);
		long counter = nextCounter();
		CurveBox.seal(CurveBox.nonce(this.sendPrefix, counter), messageKey(), frame, HEADER, frame.length - HEADER);
		System.arraycopy(MESSAGE, 0, frame, 0, MESSAGE.length);
		ByteBuffer.wrap(frame).putLong(MESSAGE.length, counter);
		return frame;
	}

	/**
	 * Decrypts a frame and sets {@link #flags()}.
	 * @param frame content of the encrypted frame, which is overwritten
	 * @return the decrypted content, or {@code null} if the frame is invalid
	 */
	final byte @Nullable [] decode(byte[] frame) {
		if (frame.length < FRAME_OVERHEAD || !isCommand(frame, MESSAGE)) {
			return violation();
		}
		long counter = ByteBuffer.wrap(frame).getLong(MESSAGE.length);
		if (Long.compareUnsigned(counter, this.receiveCounter) <= 0 || !CurveBox
			.open(CurveBox.nonce(this.receivePrefix, counter), messageKey(), frame, HEADER, frame.length - HEADER)) {
			return violation();
		}
		this.receiveCounter = counter;
		this.flags = (frame[FLAGS] & MORE) | ((frame[FLAGS] & COMMAND) * 2);
		return Arrays.copyOfRange(frame, FRAME_OVERHEAD, frame.length);
	}

	final int flags() {
		return this.flags;
	}

	private byte @Nullable [] violation() {
		return refuse(Refusal.CURVE_VIOLATION, "");
	}

	enum Status {

		HANDSHAKING, READY, ERROR

	}

	/** Connection that owns a handshake. */
	interface Events {

		/** Handles a failed handshake or an invalid message. */
		void refused(Refusal refusal, String detail);

		/** Returns whether a socket of this type may connect to this side. */
		boolean isCompatible(String peerType);

	}

}
