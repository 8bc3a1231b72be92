package io.statestore.dafka.node.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a connection's frames. Bytes wait here until their frames are requested. Memory
 * is allocated when bytes arrive, not when a length is announced. Not thread-safe.
 */
final class FrameDecoder {

	static final int MORE = 1;

	static final int LONG = 2;

	static final int COMMAND = 4;

	/** Minimum size of a message that counts toward the memory limit while it arrives. */
	private static final int LARGE = 64 << 10;

	/** Number of unused bytes for which the buffer is not shrunk. */
	private static final int SLACK = 4 << 10;

	/** Maximum number of bytes by which the buffer grows in advance. */
	private static final int MAX_GROWTH = 4 << 20;

	private static final VarHandle LENGTH = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private static final byte[] EMPTY = {};

	private final Memory memory;

	/**
	 * Buffer with the waiting bytes. An array is faster to read than Netty's memory.
	 */
	byte[] in = EMPTY;

	/** Index of the first waiting byte. */
	private int start;

	/** Index after the last waiting byte. */
	private int end;

	private int flags;

	/** Total size of the earlier frames in the arriving message. */
	private long earlier;

	/** How much of the memory limit the arriving message uses, in bytes. */
	private long counted;

	private boolean invalid;

	FrameDecoder(Memory memory) {
		this.memory = memory;
	}

	/** Adds the bytes in a buffer and releases the buffer. */
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

	private void move(int capacity) {
		byte[] to = (capacity != this.in.length) ? new byte[capacity] : this.in;
		System.arraycopy(this.in, this.start, to, 0, size());
		this.end -= this.start;
		this.start = 0;
		this.in = to;
	}

	/**
	 * Releases the memory of bytes that were read, even while other bytes are waiting.
	 */
	void trim() {
		if (size() == 0) {
			release();
		}
		else if (this.in.length > 2L * size() + SLACK) {
			move(size());
		}
	}

	int size() {
		return this.end - this.start;
	}

	/** Returns one of the waiting bytes without removing it. */
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
	 * @param max maximum length of the content, in bytes
	 * @return the content; {@code null} if the frame has not arrived completely or is
	 * invalid
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

	/**
	 * Counts the size of the arriving message. Returns whether it is within the memory
	 * limit.
	 */
	private boolean count(long bytes) {
		long large = (bytes >= LARGE) ? bytes : 0;
		this.memory.used += large - this.counted;
		this.counted = large;
		return large == 0 || this.memory.used <= this.memory.max;
	}

	/**
	 * Counts a frame as part of the arriving message. With CURVE, only the owner knows
	 * whether another frame follows, and commands may arrive in between.
	 */
	void took(int length, boolean more) {
		this.earlier = more ? this.earlier + length : 0;
		count(this.earlier);
	}

	int flags() {
		return this.flags;
	}

	/** Returns whether a frame was too long or exceeded the memory limit. */
	boolean isInvalid() {
		return this.invalid;
	}

	/** Discards the waiting bytes and releases their memory. */
	void release() {
		this.in = EMPTY;
		this.start = 0;
		this.end = 0;
		count(this.earlier);
	}

	/** Ends this decoder, which no longer uses any memory. */
	void close() {
		this.earlier = 0;
		release();
	}

	/** Memory limit for the large messages arriving at a socket. */
	static final class Memory {

		private final long max;

		private long used;

		Memory(long max) {
			this.max = max;
		}

	}

}
