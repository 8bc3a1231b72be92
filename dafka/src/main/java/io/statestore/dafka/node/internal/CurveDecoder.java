package io.statestore.dafka.node.internal;

import zmq.Msg;
import zmq.io.coder.v2.V2Decoder;
import zmq.msg.MsgAllocator;
import zmq.util.Errno;

/**
 * Decoder of a connection with CURVE. Used by the I/O thread.
 */
final class CurveDecoder extends V2Decoder {

	/**
	 * Creates a decoder.
	 * @param bufferSize size of the buffer in bytes
	 * @param allocator creates frames, and checks their length
	 */
	CurveDecoder(int bufferSize, MsgAllocator allocator) {
		super(new Errno(), bufferSize, -1, allocator);
	}

	/**
	 * Replaces the latest frame by its decrypted content. If the queue of the socket is
	 * full, JeroMQ delivers the frame of the decoder later, without decrypting it again.
	 */
	void replace(Msg decrypted) {
		this.inProgress = decrypted;
	}

}
