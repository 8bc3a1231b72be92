package io.statestore.broker.log;

import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link FileLog}.
 *
 * @param fsync when batches are forced to the disk
 * @param interval the interval of {@link Fsync#INTERVAL}
 * @param segmentBytes size of a segment, in bytes. A batch that is larger gets a segment
 * of its own
 * @param indexed whether entries can be read and removed one by one
 * @param spare space to keep allocated for further entries
 * @param history how much of the past to keep, or {@code null} to keep none
 */
public record LogOptions(Fsync fsync, Duration interval, long segmentBytes, boolean indexed, SpareSpace spare,
		@Nullable HistoryRetention history) {

	/** Default size of a segment, in bytes. */
	public static final long SEGMENT_BYTES = 64L << 20;

	/**
	 * Creates options for the log of a store.
	 * @param fsync when batches are forced to the disk
	 * @param interval the interval of {@link Fsync#INTERVAL}
	 * @param segmentBytes size of a segment, in bytes
	 */
	public LogOptions(Fsync fsync, Duration interval, long segmentBytes) {
		this(fsync, interval, segmentBytes, false, new SpareSpace(0), null);
	}

	/**
	 * Returns options for a log whose entries can be read and removed one by one.
	 * @param spare space to keep allocated for further entries
	 * @return the options
	 */
	public LogOptions indexed(SpareSpace spare) {
		return new LogOptions(this.fsync, this.interval, this.segmentBytes, true, spare, this.history);
	}

	/**
	 * Returns options for a log that keeps its past.
	 * @param history how much to keep, or {@code null} to keep nothing
	 * @return the options
	 */
	public LogOptions history(@Nullable HistoryRetention history) {
		return new LogOptions(this.fsync, this.interval, this.segmentBytes, this.indexed, this.spare, history);
	}

}
