package io.statestore.cluster.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Frames on a connection between nodes: 4 bytes size of the rest, 1 byte kind, 1 byte
 * request code, 8 bytes call number, and a message in Protocol Buffers encoding. A
 * {@link Greeting} precedes them.
 */
final class Frames {

	/** Size of the length field, in bytes. */
	static final int LENGTH_BYTES = 4;

	/** Size of a frame without its length field and message, in bytes. */
	static final int HEADER_BYTES = 10;

	static final int REQUEST = 1;

	static final int RESPONSE = 2;

	/** A response that reports an error instead of a result. */
	static final int ERROR = 3;

	private Frames() {
	}

	/** Encodes a frame. The caller must release the result. */
	static ByteBuf encode(ByteBufAllocator allocator, int kind, int code, long call, Message message) {
		int bytes = message.getSerializedSize();
		ByteBuf frame = allocator.buffer(LENGTH_BYTES + HEADER_BYTES + bytes);
		try {
			frame.writeInt(HEADER_BYTES + bytes).writeByte(kind).writeByte(code).writeLong(call);
			ByteBuffer target = frame.nioBuffer(frame.writerIndex(), bytes);
			CodedOutputStream output = CodedOutputStream.newInstance(target);
			message.writeTo(output);
			output.flush();
			return frame.writerIndex(frame.writerIndex() + bytes);
		}
		catch (IOException ex) {
			frame.release();
			throw new IllegalStateException("The size of a message is wrong", ex);
		}
		catch (RuntimeException ex) {
			frame.release();
			throw ex;
		}
	}

}
