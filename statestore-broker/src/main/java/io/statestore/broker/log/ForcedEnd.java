package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Content of the {@code forced} file: the minimum that was forced of a log. A log that
 * ends before this point has lost entries. A log that ends after it with an incomplete
 * write has not.
 *
 * @param index index of the last entry known to be forced, 0 if unknown
 * @param segment index of the first entry in the segment that contains this entry
 * @param bytes minimum size of that segment's file, 0 if unknown
 */
record ForcedEnd(long index, long segment, long bytes) {

	private static final Logger logger = LoggerFactory.getLogger(ForcedEnd.class);

	static final ForcedEnd UNKNOWN = new ForcedEnd(0, 0, 0);

	private static final long MAGIC = 0x53_54_41_54_45_46_4f_52L;

	private static final int BYTES = 56;

	/** Returns the content of the {@code forced} file. */
	ByteBuffer encode(UUID storeId) {
		ByteBuffer bytes = StoreIdentity.begin(BYTES, MAGIC, storeId);
		bytes.putLong(this.index).putLong(this.segment).putLong(this.bytes);
		return Checksums.seal(bytes);
	}

	/**
	 * Reads the {@code forced} file.
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
	 * Returns this end, with an earlier end's size if that is in the same segment and
	 * greater.
	 */
	ForcedEnd withSizeOf(ForcedEnd earlier) {
		return (earlier.segment == this.segment)
				? new ForcedEnd(this.index, this.segment, Math.max(this.bytes, earlier.bytes)) : this;
	}

	/** Rejects a segment that has become shorter. */
	void verify(Path file, long firstIndex, long size) {
		if (firstIndex == this.segment && this.index >= firstIndex && size < this.bytes) {
			throw new DamagedLogException(file, size,
					"the file ends there, although " + this.bytes + " bytes of it were on the disk");
		}
	}

}
