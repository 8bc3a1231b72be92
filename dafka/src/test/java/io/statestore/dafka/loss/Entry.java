package io.statestore.dafka.loss;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Line in a process's file: an acknowledgment, a delivery, or lost records.
 *
 * @param sample the acknowledged or delivered record; its number is -1 if the content was
 * wrong, -2 for lost records
 * @param offset offset of the first record
 * @param count number of records
 */
record Entry(Sample sample, long offset, long count) {

	static final long WRONG = -1;

	static final long LOST = -2;

	private static final int SIZE = 2 * Integer.BYTES + 3 * Long.BYTES;

	boolean isLost() {
		return this.sample.number() == LOST;
	}

	/**
	 * Writes the line in a single write, so that it is complete even if the process is
	 * killed.
	 */
	void write(FileChannel file) throws IOException {
		ByteBuffer line = ByteBuffer.allocate(SIZE);
		line.putInt(this.sample.producer()).putInt(this.sample.life()).putLong(this.sample.number());
		file.write(line.putLong(this.offset).putLong(this.count).flip());
	}

	/** Reads the lines of a file; returns none if the file does not exist. */
	static List<Entry> read(Path file) {
		List<Entry> entries = new ArrayList<>();
		try {
			ByteBuffer lines = ByteBuffer.wrap(Files.exists(file) ? Files.readAllBytes(file) : new byte[0]);
			while (lines.remaining() >= SIZE) {
				Sample sample = new Sample(lines.getInt(), lines.getInt(), lines.getLong());
				entries.add(new Entry(sample, lines.getLong(), lines.getLong()));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return entries;
	}

}
