package io.statestore.client;

import java.time.Duration;
import java.util.function.Supplier;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Checks of what callers pass in; messages name the argument and what to do about it. */
final class Arguments {

	private static final Duration MIN_DURATION = Duration.ofMillis(1);

	/** A century: more does not fit the clocks of servers. */
	private static final Duration MAX_DURATION = Duration.ofDays(36_500);

	private Arguments() {
	}

	static void require(boolean condition, String message) {
		if (!condition) {
			throw new IllegalArgumentException(message);
		}
	}

	static void require(boolean condition, Supplier<String> message) {
		if (!condition) {
			throw new IllegalArgumentException(message.get());
		}
	}

	static <T> T notNull(String name, @Nullable T argument) {
		if (argument == null) {
			throw new IllegalArgumentException("'" + name + "' must not be null");
		}
		return argument;
	}

	static Bytes utf8(String name, String text) {
		Bytes bytes = Utf8.encode(notNull(name, text));
		if (bytes == null) {
			throw new IllegalArgumentException("'" + name + "' has half a surrogate pair, which UTF-8 cannot hold. "
					+ "Check where the text was cut, or use bytes");
		}
		return bytes;
	}

	/**
	 * A duration of the protocol, in whole milliseconds.
	 * @param nextStep what to do instead
	 * @return the duration, rounded up to whole milliseconds
	 */
	static Duration millis(String name, Duration duration, String nextStep) {
		notNull(name, duration);
		require(duration.compareTo(MIN_DURATION) >= 0,
				"'" + name + "' must be at least 1 ms but was " + duration + ". " + nextStep);
		require(duration.compareTo(MAX_DURATION) <= 0, "'" + name + "' must be at most " + MAX_DURATION.toDays()
				+ " days but was " + duration + ". " + nextStep);
		return Duration.ofMillis(duration.plusNanos(999_999).toMillis());
	}

}
