package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;
import zmq.Msg;
import zmq.io.Metadata;

/**
 * A frame from a peer. JeroMQ fills it, assigns the metadata of the connection to it, and
 * passes it to the socket unless it is a command. A refused frame therefore pretends to
 * be a command. Used by the I/O thread until the socket receives it.
 */
final class GuardedMessage extends Msg {

	/**
	 * Length of PING with its time to live (RFC 23 and 37). JeroMQ reads that many bytes
	 * of a command without checking its length.
	 */
	private static final int PING_LENGTH = 7;

	private static final int READY_LENGTH = 6;

	/** A property without a name. JeroMQ closes connections that send one. */
	private static final ByteBuffer INVALID = ByteBuffer.allocate(READY_LENGTH + 2).asReadOnlyBuffer();

	private final Check check;

	private final boolean impossible;

	/** Whether the decoder has requested the buffer. */
	private boolean filling;

	/** Whether the frame has arrived completely, and its connection is known. */
	private boolean complete;

	private boolean refused;

	/**
	 * Creates a frame.
	 * @param size number of bytes
	 * @param impossible whether this replaces a frame that cannot be allocated
	 * @param check decides whether the socket receives the frame
	 */
	GuardedMessage(int size, boolean impossible, Check check) {
		super(size);
		this.impossible = impossible;
		this.check = check;
	}

	/**
	 * Creates a frame that was decrypted.
	 * @param content content of the frame
	 * @param check decides whether the socket receives the frame
	 */
	GuardedMessage(byte[] content, Check check) {
		super(content);
		this.impossible = false;
		this.check = check;
	}

	/** Returns the content of a frame that the socket does not receive itself. */
	byte[] take() {
		this.complete = true;
		this.refused = true;
		return data();
	}

	boolean isImpossible() {
		return this.impossible;
	}

	boolean isComplete() {
		return this.complete;
	}

	/** Returns whether the peer sent this frame as a command. */
	boolean isDeclaredCommand() {
		return super.isCommand();
	}

	/**
	 * Returns the buffer. The decoder requests it first. Before the frame is complete,
	 * only the handshake requests it again, to parse the metadata of the peer.
	 */
	@Override
	public ByteBuffer buf() {
		if (!this.complete && this.filling) {
			return checked(super.buf());
		}
		this.filling = true;
		return super.buf();
	}

	/**
	 * Prevents a peer from claiming the address of another connection. In JeroMQ,
	 * metadata from a peer override the address of its connection.
	 * @param ready a READY command
	 * @return the command, or one with invalid metadata if it contains an address
	 */
	private static ByteBuffer checked(ByteBuffer ready) {
		if (ready.limit() < READY_LENGTH) {
			return ready;
		}
		int result = new Metadata().read(ready, READY_LENGTH,
				(name, value, text) -> name.equals(Metadata.PEER_ADDRESS) ? -1 : 0);
		return (result == 0) ? ready : INVALID.duplicate();
	}

	@Override
	public boolean isCommand() {
		if (this.complete) {
			return this.refused;
		}
		return super.isCommand() && size() >= PING_LENGTH;
	}

	/**
	 * Returns zero as the time to live of a PING. With another value, JeroMQ would start
	 * a timer, and keep it for up to 109 minutes after canceling it. Heartbeats of this
	 * side detect dead connections.
	 */
	@Override
	public int getShort(int offset) {
		return 0;
	}

	@Override
	public Msg setMetadata(@Nullable Metadata metadata) {
		super.setMetadata(metadata);
		if (metadata != null && !this.complete) {
			this.complete = true;
			this.refused = !this.check.accepts(metadata, this);
		}
		return this;
	}

	/** Check of complete frames. */
	interface Check {

		/**
		 * Decides whether the socket receives a frame.
		 * @param metadata metadata of the connection, the same object for all its frames
		 * @param message the frame
		 * @return whether the socket receives it
		 */
		boolean accepts(Metadata metadata, GuardedMessage message);

	}

}
