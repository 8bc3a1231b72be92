package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Content of the file {@code forced}: how much of a log was forced at least. A log that
 * ends before this has lost entries. A log that ends behind this with an incomplete write
 * has not.
 *
 * @param index index of the last entry that was forced, 0 if it is unknown
 * @param segment index of the first entry of the segment that has this entry
 * @param bytes minimum size of the file of that segment, 0 if it is unknown
 */
record ForcedEnd(long index, long segment, long bytes) {

	private static final Logger logger = LoggerFactory.getLogger(ForcedEnd.class);

	static final ForcedEnd UNKNOWN = new ForcedEnd(0, 0, 0);

	private static final long MAGIC = 0x53_54_41_54_45_46_4f_52L;

	private static final int BYTES = 56;

	/** Returns the content of the file {@code forced}. */
	ByteBuffer encode(UUID storeId) {
		ByteBuffer bytes = StoreIdentity.begin(BYTES, MAGIC, storeId);
		bytes.putLong(this.index).putLong(this.segment).putLong(this.bytes);
		return Checksums.seal(bytes);
	}

	/**
	 * Reads the file {@code forced}.
	 * @return the end, or {@link #UNKNOWN} if there is no intact file
	 */
	static ForcedEnd read(StoreFiles files) {
		Path file = files.layout().forced();
		try {
			ByteBuffer bytes = files.read(file, MAGIC, BYTES);
			return (bytes != null) ? new ForcedEnd(bytes.getLong(), bytes.getLong(), bytes.getLong()) : UNKNOWN;
		}
		catch (IOException | DamagedLogException ex) {
			logger.warn("File {} is damaged, so it is unknown whether the log has lost entries at its end. "
					+ "Check the disk: {}", file, ex.toString());
			return UNKNOWN;
		}
	}

	/**
	 * Returns this end, with the size of an earlier end of the same segment if greater.
	 */
	ForcedEnd withSizeOf(ForcedEnd earlier) {
		return (earlier.segment == this.segment)
				? new ForcedEnd(this.index, this.segment, Math.max(this.bytes, earlier.bytes)) : this;
	}

	/** Refuses a segment that has become shorter. */
	void verify(Path file, long firstIndex, long size) {
		if (firstIndex == this.segment && this.index >= firstIndex && size < this.bytes) {
			throw new DamagedLogException(file, size,
					"the file ends there, although " + this.bytes + " bytes of it were on the disk");
		}
	}

}
