package io.statestore.broker.crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process's operation on its directory, as recorded by {@code powercut.c}.
 *
 * @param type the kind of operation
 * @param inode the file
 * @param number offset of a write, new size, number of operations that a force covers, or
 * flags of an open
 * @param data written bytes, or paths below the directory, separated by NUL
 */
record JournalRecord(Type type, long inode, long number, byte[] data) {

	private static final int HEADER_LENGTH = 24;

	/** Types in the same order as in {@code powercut.c}, which starts at 1. */
	enum Type {

		OPEN, WRITE, TRUNCATE, FORCE, FAILED_FORCE, RENAME, LINK, UNLINK, MKDIR, RMDIR, UNSUPPORTED

	}

	/** Reads a journal. An unfinished record at its end has no effect. */
	static List<JournalRecord> read(Path journal) throws IOException {
		ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(journal)).order(ByteOrder.nativeOrder());
		List<JournalRecord> records = new ArrayList<>();
		while (in.remaining() >= HEADER_LENGTH) {
			Type type = Type.values()[in.getInt() - 1];
			int length = in.getInt();
			long inode = in.getLong();
			long number = in.getLong();
			if (length > in.remaining()) {
				break;
			}
			byte[] data = new byte[length];
			in.get(data);
			if (type == Type.UNSUPPORTED) {
				throw new IllegalStateException("The process used " + new String(data, StandardCharsets.UTF_8)
						+ ", which the library does not record. Record it in powercut.c");
			}
			records.add(new JournalRecord(type, inode, number, data));
		}
		return records;
	}

	boolean isCreated() {
		return (this.number & 1) != 0;
	}

	boolean isDirectory() {
		return (this.number & 2) != 0;
	}

	/** Returns the first path. */
	String path() {
		return text().split("\0")[0];
	}

	/** Returns the second path. */
	String target() {
		return text().split("\0")[1];
	}

	private String text() {
		return new String(this.data, StandardCharsets.UTF_8);
	}

}
