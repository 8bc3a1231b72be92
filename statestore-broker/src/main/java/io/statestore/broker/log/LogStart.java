package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

/** The file {@code start} of a log whose first entries were removed. */
final class LogStart {

	private static final long MAGIC = 0x53_54_41_54_45_53_54_41L;

	private static final int BYTES = 40;

	private final LockedStore store;

	private final Path file;

	LogStart(LockedStore store) {
		this.store = store;
		this.file = store.layout().directory().resolve("start");
	}

	/** Returns the index of the last entry that was removed, 0 if none was. */
	long read() throws IOException {
		if (!this.store.disk().exists(this.file)) {
			return 0;
		}
		ByteBuffer bytes = SmallFile.read(this.store.disk(), this.file);
		StoreIdentity.requireIntact(this.file, bytes, MAGIC, BYTES);
		this.store.identity().requireSame(this.file, new UUID(bytes.getLong(), bytes.getLong()));
		return bytes.getLong();
	}

	/** Writes the file and forces it to the disk. */
	void write(long removedIndex) throws IOException {
		ByteBuffer bytes = StoreIdentity.begin(BYTES, MAGIC, this.store.identity().id()).putLong(removedIndex);
		SmallFile.write(this.store.disk(), this.file, Checksums.seal(bytes));
	}

}
