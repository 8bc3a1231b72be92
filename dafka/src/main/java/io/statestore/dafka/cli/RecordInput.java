package io.statestore.dafka.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Reader that splits a stream into records at a delimiter. */
final class RecordInput {

	private final InputStream in;

	private final byte[] delimiter;

	private final int maxSize;

	private final Buffer record = new Buffer();

	/**
	 * Creates a reader.
	 * @param in a buffered stream, which is read byte by byte
	 * @param delimiter delimiter between records, not empty
	 * @param maxSize maximum size of a record, in bytes, which limits the memory
	 */
	RecordInput(InputStream in, byte[] delimiter, int maxSize) {
		this.in = in;
		this.delimiter = delimiter;
		this.maxSize = maxSize;
	}

	/**
	 * Reads the next record. Bytes after the last delimiter are a record, too.
	 * @return the record, which may be empty, {@code null} at the end of the stream
	 * @throws IOException if reading fails, or a record is too large
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
