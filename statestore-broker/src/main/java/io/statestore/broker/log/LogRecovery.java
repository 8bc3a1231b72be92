package io.statestore.broker.log;

import java.io.IOException;
import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the log at startup and makes it ready for appending. */
final class LogRecovery {

	private static final Logger logger = LoggerFactory.getLogger(LogRecovery.class);

	/**
	 * Suffix of the second name given to a segment with batches that could not be
	 * applied.
	 */
	static final String DISCARDED = ".discarded";

	private final StoreFiles files;

	/** Index of the last entry that a snapshot contains, or that was removed. */
	private final long coveredIndex;

	private final ForcedEnd forced;

	LogRecovery(StoreFiles files, long coveredIndex) {
		this.files = files;
		this.coveredIndex = coveredIndex;
		this.forced = ForcedEnd.read(files);
	}

	/**
	 * Reads all batches that contain entries not covered by {@link #coveredIndex}.
	 * @return where the log ends
	 * @throws DamagedLogException if a file is damaged or missing
	 */
	LogEnd read(RecordConsumer consumer) throws IOException {
		LogEnd end = new LogReader(this.files, this.coveredIndex, this.forced, consumer).read();
		warn(end);
		return end;
	}

	/**
	 * Forces everything that was read to disk and removes what follows. Intact batches
	 * that cannot be applied stay in a file that the log does not read.
	 * @return the log, ready for appending
	 */
	LogWriter openWriter(LogEnd end, LogOptions options) throws IOException {
		boolean discards = end.remains().batches() > 0;
		DiskFile file = this.files.disk().open(end.file());
		try {
			Segment.rewrite(file, end.forcedPosition(), end.position());
			Segment active = new Segment(end.file(), end.header(), file, end.position());
			if (discards) {
				// The batches stay in this segment. The next segment's header cuts them
				// off.
				keepDiscarded(end.file());
			}
			else {
				active.clear();
			}
			LogWriter writer = new LogWriter(options, this.files, active, ForcedFile.open(this.files, this.forced),
					end.lastIndex());
			if (discards) {
				writer.cutOffRest();
			}
			return writer;
		}
		catch (IOException | RuntimeException ex) {
			file.close();
			throw ex;
		}
	}

	/**
	 * Gives a segment a second name and removes a second name given by an earlier start.
	 */
	private void keepDiscarded(Path segment) throws IOException {
		for (Path earlier : this.files.disk().list(this.files.layout().log())) {
			if (earlier.toString().endsWith(DISCARDED)) {
				this.files.disk().delete(earlier);
			}
		}
		this.files.disk().link(segment, segment.resolveSibling(segment.getFileName() + DISCARDED));
		this.files.disk().forceDirectory(this.files.layout().log());
	}

	private void warn(LogEnd end) {
		if (end.remains().batches() > 0) {
			logger.warn("""
					A write at position {} of {} is incomplete, and {} intact batches follow it. \
					They cannot be applied without it, and are kept in the file '*{}' in {}. \
					This is normal after a power failure with fsync=interval or never. Otherwise, check the disk. \
					Delete the file if you do not need it; a later start that discards batches replaces it""",
					end.position(), end.file(), end.remains().batches(), DISCARDED, this.files.layout().log());
		}
		else if (end.remains().bytes() > 0) {
			logger.warn("Cut off an incomplete write of {} bytes at position {} of {}. This is normal after a crash",
					end.remains().bytes(), end.position(), end.file());
		}
	}

}
