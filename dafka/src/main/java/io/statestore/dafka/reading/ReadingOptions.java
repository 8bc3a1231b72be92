package io.statestore.dafka.reading;

import java.time.Duration;

import io.statestore.dafka.Options;
import org.jspecify.annotations.Nullable;

/**
 * How gaps are filled.
 *
 * @param window how many records beyond a gap are kept, a power of two; half of it is
 * fetched at a time
 * @param windowBytes maximum number of bytes of them, for all partitions of a node
 * together, each record with 96 more
 * @param retry after how long without progress a fetch is repeated; it doubles up to ten
 * times as much
 * @param lossTimeout after how long without progress records are given up, if whoever is
 * asked for the next one again and again answers with the same later one; and after how
 * long it is told that nobody answers
 * @param skipTimeout time without progress after which records are given up although no
 * node answers, {@code null} to wait for them without limit
 */
public record ReadingOptions(int window, long windowBytes, Duration retry, Duration lossTimeout,
		@Nullable Duration skipTimeout) {

	public ReadingOptions {
		Options.require(window >= 2 && Integer.bitCount(window) == 1, "window", window, "a power of two from 2");
		Options.requireAtLeast("windowBytes", windowBytes, 1);
		Options.requireDuration("retry", retry, Duration.ofMillis(1));
		Options.requireDuration("lossTimeout", lossTimeout, retry);
		if (skipTimeout != null) {
			Options.requireDuration("skipTimeout", skipTimeout, lossTimeout);
		}
	}

	/** Creates options that never skip records. */
	public ReadingOptions(int window, long windowBytes, Duration retry, Duration lossTimeout) {
		this(window, windowBytes, retry, lossTimeout, null);
	}

	/** 16,384 records, 16 MiB, 200 ms, 5 s, never skipping. */
	public static ReadingOptions defaults() {
		return new ReadingOptions(16_384, 16 << 20, Duration.ofMillis(200), Duration.ofSeconds(5));
	}

	/** The same with another time after which records are given up. */
	public ReadingOptions withLossTimeout(Duration lossTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, lossTimeout, this.skipTimeout);
	}

	/**
	 * Returns the same options with another time after which records are skipped that no
	 * node gives.
	 * @param skipTimeout at least {@code lossTimeout}, or {@code null} to wait for them
	 * without limit
	 */
	public ReadingOptions withSkipTimeout(@Nullable Duration skipTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, this.lossTimeout, skipTimeout);
	}

}
