package io.statestore.dafka.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Cuts a stream into records at a delimiter. */
final class RecordInput {

	private final InputStream in;

	private final byte[] delimiter;

	private final int maxSize;

	private final Buffer record = new Buffer();

	/**
	 * Reads byte by byte.
	 * @param in to be buffered
	 * @param delimiter between records, not empty
	 * @param maxSize of a record, so that no stream without delimiter fills the memory
	 */
	RecordInput(InputStream in, byte[] delimiter, int maxSize) {
		this.in = in;
		this.delimiter = delimiter;
		this.maxSize = maxSize;
	}

	/**
	 * The next record, perhaps empty, {@code null} at the end. What stands behind the
	 * last delimiter is a record if it is not empty.
	 */
	byte @Nullable [] next() throws IOException {
		this.record.reset();
		byte last = this.delimiter[this.delimiter.length - 1];
		for (int read = this.in.read(); read >= 0; read = this.in.read()) {
			this.record.write(read);
			if ((byte) read == last && this.record.endsWith(this.delimiter)) {
				return this.record.without(this.delimiter.length);
			}
			if (this.record.size() - this.delimiter.length >= this.maxSize) {
				throw new IOException(
						"a record is larger than " + this.maxSize + " bytes: check the delimiter, or split the record");
			}
		}
		return (this.record.size() > 0) ? this.record.without(0) : null;
	}

	private static final class Buffer extends ByteArrayOutputStream {

		boolean endsWith(byte[] end) {
			int start = this.count - end.length;
			return start >= 0 && Arrays.equals(this.buf, start, this.count, end, 0, end.length);
		}

		byte[] without(int end) {
			return Arrays.copyOf(this.buf, this.count - end);
		}

	}

}
