package io.statestore.client;

import java.time.Duration;
import java.util.function.Supplier;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Argument checks. Their messages name the argument and explain how to fix the problem.
 */
final class Arguments {

	private static final Duration MIN_DURATION = Duration.ofMillis(1);

	/** About a century. Longer durations overflow server clocks. */
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

	/** Returns the UTF-8 bytes of a string, which must not have unpaired surrogates. */
	static Bytes utf8(String name, String text) {
		Bytes bytes = Utf8.encode(notNull(name, text));
		if (bytes == null) {
			throw new IllegalArgumentException("'" + name + "' has an unpaired surrogate, which UTF-8 cannot encode. "
					+ "Check where the string was cut, or use bytes");
		}
		return bytes;
	}

	/**
	 * Returns a duration rounded up to whole milliseconds, the protocol's unit.
	 * @param nextStep end of the error message if the duration is out of range
	 */
	static Duration millis(String name, Duration duration, String nextStep) {
		notNull(name, duration);
		require(duration.compareTo(MIN_DURATION) >= 0,
				"'" + name + "' must be at least 1 ms but was " + duration + ". " + nextStep);
		require(duration.compareTo(MAX_DURATION) <= 0, "'" + name + "' must be at most " + MAX_DURATION.toDays()
				+ " days but was " + duration + ". " + nextStep);
		return Duration.ofMillis(duration.plusNanos(999_999).toMillis());
	}

	/** Returns an option's duration in whole milliseconds, like {@link #millis}. */
	static Duration optionMillis(String name, Duration duration) {
		if (duration.compareTo(MIN_DURATION) < 0 || duration.compareTo(MAX_DURATION) > 0) {
			throw new InvalidOptionException(name, duration, "must be 1 ms to " + MAX_DURATION.toDays() + " days",
					"Use none for values that never expire");
		}
		return millis(name, duration, "");
	}

}
