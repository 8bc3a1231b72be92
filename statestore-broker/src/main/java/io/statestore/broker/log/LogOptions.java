package io.statestore.broker.log;

import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link FileLog}.
 *
 * @param fsync when batches are forced to disk
 * @param interval the interval for {@link Fsync#INTERVAL}
 * @param segmentBytes size of a segment, in bytes. A larger batch gets its own segment
 * @param indexed whether entries can be read and removed individually
 * @param spare space to keep allocated for future entries
 * @param history how much of the past to keep, or {@code null} to keep nothing
 */
public record LogOptions(Fsync fsync, Duration interval, long segmentBytes, boolean indexed, SpareSpace spare,
		@Nullable HistoryRetention history) {

	/** Default size of a segment, in bytes. */
	public static final long SEGMENT_BYTES = 64L << 20;

	/**
	 * Creates options for a store's log.
	 * @param fsync when batches are forced to disk
	 * @param interval the interval for {@link Fsync#INTERVAL}
	 * @param segmentBytes size of a segment, in bytes
	 */
	public LogOptions(Fsync fsync, Duration interval, long segmentBytes) {
		this(fsync, interval, segmentBytes, false, new SpareSpace(0), null);
	}

	/**
	 * Returns options for a log whose entries can be read and removed individually.
	 * @param spare space to keep allocated for future entries
	 * @return a copy of these options
	 */
	public LogOptions indexed(SpareSpace spare) {
		return new LogOptions(this.fsync, this.interval, this.segmentBytes, true, spare, this.history);
	}

	/**
	 * Returns options for a log that keeps its past.
	 * @param history how much to keep, or {@code null} to keep nothing
	 * @return a copy of these options
	 */
	public LogOptions history(@Nullable HistoryRetention history) {
		return new LogOptions(this.fsync, this.interval, this.segmentBytes, this.indexed, this.spare, history);
	}

}
