package io.statestore.dafka.node.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decoder of the frames of a connection. Bytes wait here until their frames are
 * requested. Memory is allocated when bytes arrive, not when a length is announced. Not
 * thread-safe.
 */
final class FrameDecoder {

	static final int MORE = 1;

	static final int LONG = 2;

	static final int COMMAND = 4;

	/** Minimum size of a message whose memory counts while it arrives. */
	private static final int LARGE = 64 << 10;

	/** Bytes of a buffer that may be unused. */
	private static final int SLACK = 4 << 10;

	private final Memory memory;

	private @Nullable ByteBuf in;

	private int flags;

	/** Size of the frames of a message before its last one. */
	private long earlier;

	/** Counted size of the message that is arriving. */
	private long counted;

	private boolean invalid;

	FrameDecoder(Memory memory) {
		this.memory = memory;
	}

	/** Adds bytes that have arrived. */
	void add(ByteBufAllocator allocator, ByteBuf bytes) {
		trim(allocator);
		this.in = (this.in != null) ? ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, this.in, bytes) : bytes;
	}

	/** Releases the memory of bytes that were read, also if others wait. */
	void trim(ByteBufAllocator allocator) {
		ByteBuf in = this.in;
		if (in != null && in.isReadable() && in.capacity() > 2L * in.readableBytes() + SLACK) {
			this.in = allocator.buffer(in.readableBytes()).writeBytes(in);
			in.release();
		}
	}

	/** Returns the number of bytes that wait. */
	int size() {
		return (this.in != null) ? this.in.readableBytes() : 0;
	}

	/** Returns one of the bytes that wait. */
	byte peek(int index) {
		return (this.in != null) ? this.in.getByte(this.in.readerIndex() + index) : 0;
	}

	/** Removes and returns a number of bytes, which must have arrived. */
	byte[] read(int length) {
		byte[] bytes = new byte[length];
		if (this.in != null) {
			this.in.readBytes(bytes);
		}
		return bytes;
	}

	/**
	 * Returns the next frame.
	 * @param max maximum length
	 * @return the content, or {@code null} if it has not arrived completely or is invalid
	 */
	byte @Nullable [] next(int max) {
		int head = (size() > 0 && (peek(0) & LONG) != 0) ? 9 : 2;
		ByteBuf in = this.in;
		if (in == null || size() < head) {
			return null;
		}
		int start = in.readerIndex();
		long length = (head == 2) ? in.getUnsignedByte(start + 1) : in.getLong(start + 1);
		if (length < 0 || length > max || !count(this.earlier + length)) {
			this.invalid = true;
			return null;
		}
		if (size() - head < length) {
			return null;
		}
		this.flags = in.getByte(start);
		in.skipBytes(head);
		count(this.earlier);
		return read((int) length);
	}

	/** Counts the size of the message that is arriving. Returns whether it fits. */
	private boolean count(long bytes) {
		long large = (bytes >= LARGE) ? bytes : 0;
		this.memory.used += large - this.counted;
		this.counted = large;
		return large == 0 || this.memory.used <= this.memory.max;
	}

	/**
	 * Counts a frame of a message. With CURVE only the owner knows whether another one
	 * follows, and commands may arrive between them.
	 */
	void took(int length, boolean more) {
		this.earlier = more ? this.earlier + length : 0;
		count(this.earlier);
	}

	/** Returns the flags of the latest frame. */
	int flags() {
		return this.flags;
	}

	/** Returns whether a frame was too long, or there was no memory for it. */
	boolean isInvalid() {
		return this.invalid;
	}

	/** Releases the memory of the bytes that wait. */
	void release() {
		if (this.in != null) {
			this.in.release();
			this.in = null;
		}
		count(this.earlier);
	}

	/** Ends this decoder. Nothing is counted any more. */
	void close() {
		this.earlier = 0;
		release();
	}

	/** Memory of the large messages that are arriving at a socket. */
	static final class Memory {

		private final long max;

		private long used;

		Memory(long max) {
			this.max = max;
		}

	}

}
