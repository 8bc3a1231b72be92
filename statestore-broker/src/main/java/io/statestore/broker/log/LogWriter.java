package io.statestore.broker.log;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends batches to the active segment. Continues in a new segment when it is full, and
 * after a failed write. One thread appends. Any thread may force and compact.
 */
final class LogWriter {

	private static final Logger logger = LoggerFactory.getLogger(LogWriter.class);

	/** Time until a full segment tries again to continue in a new one. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final LogOptions options;

	private final LogSegments segments;

	private volatile long lastIndex;

	private volatile long writtenBytes;

	/** Time of the latest attempt to continue in a new segment that failed. */
	private long rotationFailed = System.nanoTime() - RETRY_NANOS;

	/**
	 * Creates a writer.
	 * @param segments segments, of which the active one has the end of the log
	 * @param lastIndex index of the last entry, which is on the disk
	 */
	LogWriter(LogOptions options, LogSegments segments, long lastIndex) {
		this.options = options;
		this.segments = segments;
		this.lastIndex = lastIndex;
	}

	LogSegments segments() {
		return this.segments;
	}

	long lastIndex() {
		return this.lastIndex;
	}

	long forcedIndex() {
		return this.segments.forcedIndex();
	}

	long writtenBytes() {
		return this.writtenBytes;
	}

	@Nullable LogFailedException failure() {
		return this.segments.failure();
	}

	void append(EntryBatch batch) {
		this.segments.requireUsable();
		int bytes = batch.recordBytes();
		makeRoom(bytes);
		Segment segment = this.segments.active();
		try {
			segment.write(batch.seal(segment.format(), this.lastIndex + 1, forcedIndex()));
			if (this.options.fsync() == Fsync.ALWAYS) {
				this.segments.force(this.lastIndex + batch.count());
			}
		}
		catch (IOException ex) {
			throw reject(ex);
		}
		segment.advance(bytes);
		this.writtenBytes += bytes;
		this.lastIndex += batch.count();
		extend();
	}

	/** Makes room for a record, in a new segment if it does not fit. */
	private void makeRoom(int bytes) {
		Segment active = this.segments.active();
		try {
			if (hasEntries(active) && active.position() + bytes > this.options.segmentBytes()
					&& (bytes > active.spare() || System.nanoTime() - this.rotationFailed >= RETRY_NANOS)) {
				rotate(bytes);
			}
			this.segments.active().allocate(bytes, this.options.segmentBytes());
		}
		catch (DiskFullException ex) {
			this.options.spare().update(0);
			throw ex;
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	/** Allocates the spare space, unless at least half of it is left. */
	void extend() {
		Segment active = this.segments.active();
		SpareSpace spare = this.options.spare();
		try {
			if (active.spare() < spare.bytes() / 2) {
				active.allocate(spare.bytes(), this.options.segmentBytes());
			}
		}
		catch (DiskFullException ex) {
			logger.debug("Cannot allocate spare space", ex);
		}
		catch (IOException ex) {
			throw fail(ex);
		}
		spare.update(active.spare());
	}

	/** Returns whether a segment has entries, besides the mark of a clean close. */
	private boolean hasEntries(Segment active) {
		return this.lastIndex >= active.header().firstIndex();
	}

	private void rotate(int bytes) throws IOException {
		// Otherwise, a failed force could leave a gap before forced batches.
		force();
		this.segments.lock().lock();
		try {
			this.segments.requireUsable();
			Segment previous = this.segments.rotate(this.lastIndex, this.options.spare().bytes());
			markContinuation(previous);
			previous.closeQuietly();
		}
		catch (DiskFullException ex) {
			if (bytes > this.segments.active().spare()) {
				throw ex;
			}
			this.rotationFailed = System.nanoTime();
		}
		finally {
			this.segments.lock().unlock();
		}
	}

	/**
	 * Marks that the log continues behind a segment, so that the loss of the next one is
	 * found. Without a force: the mark may be lost in a power cut, but not precede the
	 * next segment.
	 */
	private void markContinuation(Segment segment) {
		try {
			segment.writeMark(segment.format().continuation(this.lastIndex + 1, forcedIndex()));
		}
		catch (IOException ex) {
			logger.debug("Cannot mark that the log continues behind {}", segment.path(), ex);
		}
	}

	/** Forces everything that was appended before the call. */
	void force() {
		try {
			this.segments.requireUsable();
			this.segments.force(this.lastIndex);
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	/**
	 * Continues in a new segment whose header cuts off the batch that could not be
	 * written. The file of the batch is never forced again: a second force may report
	 * success although the system has dropped the data.
	 */
	private LogFailedException reject(IOException cause) {
		this.segments.lock().lock();
		try {
			this.segments.requireUsable();
			if (cause instanceof ClosedChannelException || forcedIndex() < this.lastIndex) {
				// The thread was interrupted, or earlier batches in the file are
				// acknowledged, but not on the disk.
				return fail(cause);
			}
			Segment failed = this.segments.advance(this.lastIndex, 0);
			failed.closeQuietly();
			return new LogFailedException("Writing to " + failed.path() + " failed: " + cause.getMessage()
					+ ". The batch was rejected, and the log continues in " + this.segments.active().path()
					+ ". Check the disk", cause);
		}
		catch (IOException | DiskFullException ex) {
			cause.addSuppressed(ex);
			return fail(cause);
		}
		finally {
			this.segments.lock().unlock();
		}
	}

	/** Makes the log unusable. */
	LogFailedException fail(Throwable cause) {
		return this.segments.fail(cause);
	}

	/**
	 * Forces everything and closes the files.
	 * @param mark whether to mark the end. The mark tells the next start that the last
	 * batch was on the disk
	 */
	void close(boolean mark) {
		try {
			if (failure() == null) {
				force();
				this.segments.forced().force();
			}
		}
		catch (LogFailedException ex) {
			logger.error("Failed to close the log", ex);
		}
		this.segments.lock().lock();
		try {
			if (mark && failure() == null) {
				markEnd(this.segments.active());
			}
			this.segments.close();
		}
		finally {
			this.segments.lock().unlock();
		}
	}

	private void markEnd(Segment active) {
		try {
			if (active.writeMark(active.format().end(this.lastIndex + 1, forcedIndex()))) {
				active.force();
			}
		}
		catch (IOException ex) {
			logger.debug("Cannot mark the end of the log", ex);
		}
	}

}
