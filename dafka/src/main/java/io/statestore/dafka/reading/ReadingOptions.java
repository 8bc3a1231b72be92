package io.statestore.dafka.reading;

import java.time.Duration;

import io.statestore.dafka.Options;

/**
 * How gaps are filled.
 *
 * @param window how many records beyond a gap are kept, a power of two; half of it is
 * fetched at a time
 * @param windowBytes and how many bytes of them
 * @param retry after how long without progress a fetch is repeated; it doubles up to ten
 * times as much
 * @param lossTimeout after how long without progress records are given up, if somebody
 * answers with later ones
 */
public record ReadingOptions(int window, long windowBytes, Duration retry, Duration lossTimeout) {

	public ReadingOptions {
		Options.require(window >= 2 && Integer.bitCount(window) == 1, "window", window, "a power of two from 2");
		Options.requireAtLeast("windowBytes", windowBytes, 1);
		Options.requireDuration("retry", retry, Duration.ofMillis(1));
		Options.requireDuration("lossTimeout", lossTimeout, retry);
	}

	/** 16,384 records, 16 MiB, 200 ms, 5 s. */
	public static ReadingOptions defaults() {
		return new ReadingOptions(16_384, 16 << 20, Duration.ofMillis(200), Duration.ofSeconds(5));
	}

	/** The same with another time after which records are given up. */
	public ReadingOptions withLossTimeout(Duration lossTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, lossTimeout);
	}

}
