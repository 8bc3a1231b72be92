package io.statestore.dafka.zmtp;

import java.nio.ByteBuffer;

import zmq.io.Metadata;

/** The metadata that a peer sends with READY, or with ERROR. */
final class PeerMetadata {

	private static final int READY_LENGTH = 6;

	/** A property without name, at which JeroMQ ends the connection. */
	private static final ByteBuffer INVALID = ByteBuffer.allocate(READY_LENGTH + 2).asReadOnlyBuffer();

	private PeerMetadata() {
	}

	/**
	 * Checks that a peer does not claim the address of another connection: JeroMQ lets
	 * metadata from the peer override the address that it found out itself.
	 * @param ready a READY command
	 * @return the command, or one with invalid metadata if it claims an address
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
