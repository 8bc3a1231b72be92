package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;

import zmq.io.Metadata;

/** Metadata that a peer sends with READY (RFC 23), or with ERROR. */
final class PeerMetadata {

	private static final int READY_LENGTH = 6;

	/** A property without a name. JeroMQ closes connections that send one. */
	private static final ByteBuffer INVALID = ByteBuffer.allocate(READY_LENGTH + 2).asReadOnlyBuffer();

	private PeerMetadata() {
	}

	/**
	 * Prevents a peer from claiming the address of another connection. In JeroMQ,
	 * metadata from a peer override the address of its connection.
	 * @param ready a READY command
	 * @return the command, or one with invalid metadata if it contains an address
	 */
	static ByteBuffer checked(ByteBuffer ready) {
		if (ready.limit() < READY_LENGTH) {
			return ready;
		}
		int result = new Metadata().read(ready, READY_LENGTH,
				(name, value, text) -> name.equals(Metadata.PEER_ADDRESS) ? -1 : 0);
		return (result == 0) ? ready : INVALID.duplicate();
	}

}
