package io.statestore.dafka.zmtp;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;
import zmq.Msg;
import zmq.io.Metadata;

/**
 * A frame from a peer. JeroMQ fills it, assigns the metadata of the connection to it, and
 * passes it to the socket unless it is a command. So a refused frame pretends to be a
 * command. Used by the I/O thread until the socket has it.
 */
final class GuardedMessage extends Msg {

	/** Length of PING with its time to live; JeroMQ reads so far without checking. */
	private static final int PING_LENGTH = 7;

	private final ConnectionGuard guard;

	private final boolean impossible;

	/** Whether the decoder has taken the buffer. */
	private boolean filling;

	/** Whether the frame is complete, and its connection known. */
	private boolean complete;

	private boolean refused;

	/**
	 * Creates a frame.
	 * @param size number of bytes
	 * @param impossible whether this stands for a frame that cannot be allocated
	 * @param guard guard of the socket
	 */
	GuardedMessage(int size, boolean impossible, ConnectionGuard guard) {
		super(size);
		this.impossible = impossible;
		this.guard = guard;
	}

	boolean isImpossible() {
		return this.impossible;
	}

	boolean isComplete() {
		return this.complete;
	}

	/** Returns whether the peer declared this a command. */
	boolean isDeclaredCommand() {
		return super.isCommand();
	}

	/**
	 * Returns the buffer. The decoder asks for it first. Before the frame is complete
	 * only the handshake asks for it again, to parse the metadata of the peer.
	 */
	@Override
	public ByteBuffer buf() {
		if (!this.complete && this.filling) {
			return PeerMetadata.checked(super.buf());
		}
		this.filling = true;
		return super.buf();
	}

	@Override
	public boolean isCommand() {
		if (this.complete) {
			return this.refused;
		}
		return super.isCommand() && size() >= PING_LENGTH;
	}

	/**
	 * Returns zero, the time to live of a PING. JeroMQ would start a timer that it keeps
	 * for up to 109 minutes after canceling it. Heartbeats of this side detect dead
	 * connections.
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
			this.refused = !this.guard.accepts(metadata, this);
		}
		return this;
	}

}
