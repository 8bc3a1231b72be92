package io.statestore.dafka.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Headers that differ only in the sequence at their end: made by copying one template.
 */
public final class SequencedHeader {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private final byte[] template;

	SequencedHeader(byte[] template) {
		this.template = template;
	}

	/** The header with this sequence. */
	public byte[] at(long sequence) {
		byte[] header = this.template.clone();
		LONG.set(header, header.length - Long.BYTES, sequence);
		return header;
	}

	/** Whether a received header is this one, whatever its sequence. */
	public boolean matches(byte[] header) {
		int end = this.template.length - Long.BYTES;
		return header.length == this.template.length && Arrays.equals(header, 0, end, this.template, 0, end);
	}

	/** The sequence at the end of a header of at least eight bytes. */
	public static long sequence(byte[] header) {
		return (long) LONG.get(header, header.length - Long.BYTES);
	}

}
