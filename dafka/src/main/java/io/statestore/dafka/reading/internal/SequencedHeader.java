package io.statestore.dafka.reading.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Template of headers that differ only in the sequence number at their end. Thread-safe.
 * Internal: not part of the API.
 */
public final class SequencedHeader {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private final byte[] template;

	SequencedHeader(byte[] template) {
		this.template = template;
	}

	/**
	 * Returns the header for a sequence number.
	 * @param sequence the sequence number
	 * @return a new header
	 */
	public byte[] at(long sequence) {
		byte[] header = this.template.clone();
		LONG.set(header, header.length - Long.BYTES, sequence);
		return header;
	}

	/**
	 * Returns whether a header equals this one, except for the sequence number.
	 * @param header a received header
	 * @return whether it matches
	 */
	public boolean matches(byte[] header) {
		int end = this.template.length - Long.BYTES;
		return header.length == this.template.length && Arrays.equals(header, 0, end, this.template, 0, end);
	}

	/**
	 * Returns the sequence number at the end of a header.
	 * @param header a header of at least eight bytes
	 * @return the sequence number
	 */
	public static long sequence(byte[] header) {
		return (long) LONG.get(header, header.length - Long.BYTES);
	}

}
