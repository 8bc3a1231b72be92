package io.statestore.dafka.node.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import io.netty.buffer.ByteBuf;
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

	/** Bytes of the buffer that may be unused. */
	private static final int SLACK = 4 << 10;

	/** Maximum number of bytes by which the buffer grows in advance. */
	private static final int MAX_GROWTH = 4 << 20;

	private static final VarHandle LENGTH = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private static final byte[] EMPTY = {};

	private final Memory memory;

	/**
	 * Buffer with the bytes that wait. An array is faster to read than memory of Netty.
	 */
	byte[] in = EMPTY;

	/** Index of the first byte that waits. */
	private int start;

	/** Index after the last byte that waits. */
	private int end;

	private int flags;

	/** Size of the frames of a message before its last one. */
	private long earlier;

	/** Counted size of the message that is arriving. */
	private long counted;

	private boolean invalid;

	FrameDecoder(Memory memory) {
		this.memory = memory;
	}

	/** Adds bytes that have arrived, and releases them. */
	void add(ByteBuf bytes) {
		int added = bytes.readableBytes();
		int size = size() + added;
		if (size > this.in.length) {
			// A message that has not arrived completely is likely to continue.
			int growth = Math.min(this.in.length, MAX_GROWTH);
			move((size() > 0) ? Math.max(size, this.in.length + growth) : size);
		}
		else if (this.end + added > this.in.length) {
			move(this.in.length);
		}
		bytes.readBytes(this.in, this.end, added).release();
		this.end += added;
	}

	/** Moves the bytes that wait to the beginning of a buffer. */
	private void move(int capacity) {
		byte[] to = (capacity != this.in.length) ? new byte[capacity] : this.in;
		System.arraycopy(this.in, this.start, to, 0, size());
		this.end -= this.start;
		this.start = 0;
		this.in = to;
	}

	/** Releases the memory of bytes that were read, also if others wait. */
	void trim() {
		if (size() == 0) {
			release();
		}
		else if (this.in.length > 2L * size() + SLACK) {
			move(size());
		}
	}

	/** Returns the number of bytes that wait. */
	int size() {
		return this.end - this.start;
	}

	/** Returns one of the bytes that wait. */
	byte peek(int index) {
		return this.in[this.start + index];
	}

	/** Removes and returns a number of bytes, which must have arrived. */
	byte[] read(int length) {
		this.start += length;
		return Arrays.copyOfRange(this.in, this.start - length, this.start);
	}

	/**
	 * Returns the next frame.
	 * @param max maximum length
	 * @return the content, or {@code null} if it has not arrived completely or is invalid
	 */
	byte @Nullable [] next(int max) {
		int size = size();
		int head = (size > 0 && (peek(0) & LONG) != 0) ? 9 : 2;
		if (size < head) {
			return null;
		}
		long length = (head == 2) ? peek(1) & 0xFF : (long) LENGTH.get(this.in, this.start + 1);
		if (length < 0 || length > max || !count(this.earlier + length)) {
			this.invalid = true;
			return null;
		}
		if (size - head < length) {
			return null;
		}
		this.flags = peek(0);
		this.start += head;
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
		this.in = EMPTY;
		this.start = 0;
		this.end = 0;
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
