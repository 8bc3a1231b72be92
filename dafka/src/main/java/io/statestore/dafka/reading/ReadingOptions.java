package io.statestore.dafka.reading;

import java.time.Duration;

import io.statestore.dafka.Options;
import org.jspecify.annotations.Nullable;

/**
 * How gaps are filled.
 *
 * @param window how many records beyond a gap are kept, a power of two; half of it is
 * fetched at a time
 * @param windowBytes and how many bytes of them
 * @param retry after how long without progress a fetch is repeated; it doubles up to ten
 * times as much
 * @param lossTimeout after how long without progress records are given up, if whoever is
 * asked for the next one again and again answers with the same later one; and after how
 * long it is told that nobody answers
 * @param skipTimeout after how long without progress records are given up although nobody
 * answers, {@code null} for never: who has them may come back
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

	/** Never skips what nobody gives. */
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
	 * The same, but going on without records that nobody gives.
	 * @param skipTimeout after how long, at least {@code lossTimeout}
	 */
	public ReadingOptions withSkipTimeout(Duration skipTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, this.lossTimeout, skipTimeout);
	}

}
