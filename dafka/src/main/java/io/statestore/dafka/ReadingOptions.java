package io.statestore.dafka;

import java.time.Duration;

import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;

/**
 * Options for filling gaps.
 *
 * @param window maximum number of records kept beyond a gap, a power of two; one request
 * fetches at most half as many
 * @param windowBytes maximum total size of records kept beyond gaps, for all partitions
 * of a node, in bytes; each record counts as its content plus 96 bytes
 * @param retry time without progress after which a request is repeated; doubles with each
 * repetition, up to ten times this value
 * @param lossTimeout time without progress after which records are declared lost if all
 * answers show that only later records are available; if there are no answers, a warning
 * is logged instead
 * @param skipTimeout time without progress after which records that no node sends are
 * declared lost, {@code null} to wait indefinitely
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

	/**
	 * Creates options without a {@code skipTimeout}.
	 * @param window maximum number of records kept beyond a gap, a power of two
	 * @param windowBytes maximum total size of records kept beyond gaps, in bytes
	 * @param retry time without progress after which a request is repeated
	 * @param lossTimeout time without progress after which unavailable records are
	 * declared lost
	 */
	public ReadingOptions(int window, long windowBytes, Duration retry, Duration lossTimeout) {
		this(window, windowBytes, retry, lossTimeout, null);
	}

	/**
	 * Returns the defaults: 16,384 records, 16 MiB, 200 ms, 5 s, and no skip timeout.
	 * @return the default options
	 */
	public static ReadingOptions defaults() {
		return new ReadingOptions(16_384, 16 << 20, Duration.ofMillis(200), Duration.ofSeconds(5));
	}

	/**
	 * Returns a copy with a different {@code lossTimeout}.
	 * @param lossTimeout time without progress after which unavailable records are
	 * declared lost
	 * @return new options
	 */
	public ReadingOptions withLossTimeout(Duration lossTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, lossTimeout, this.skipTimeout);
	}

	/**
	 * Returns a copy with a different {@code skipTimeout}.
	 * @param skipTimeout at least {@code lossTimeout}, or {@code null} to wait
	 * indefinitely
	 * @return new options
	 */
	public ReadingOptions withSkipTimeout(@Nullable Duration skipTimeout) {
		return new ReadingOptions(this.window, this.windowBytes, this.retry, this.lossTimeout, skipTimeout);
	}

}
