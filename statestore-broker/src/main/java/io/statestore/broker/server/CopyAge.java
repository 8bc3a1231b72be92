package io.statestore.broker.server;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a node knows about the age of its copy of the store.
 *
 * @param readable whether requests may be answered from the copy
 * @param limit upper bound of the age: the copy contains everything that was committed
 * this long ago, {@code null} if it is unknown
 */
public record CopyAge(boolean readable, @Nullable Duration limit) {

	/**
	 * The age is unknown and will be known soon, so that requests are refused.
	 */
	public static final CopyAge PENDING = new CopyAge(false, null);

	/** The age is unknown, and requests are answered nevertheless. */
	public static final CopyAge UNKNOWN = new CopyAge(true, null);

	/**
	 * Returns a known age.
	 * @param limit the upper bound
	 * @return a new object
	 */
	public static CopyAge atMost(Duration limit) {
		return new CopyAge(true, limit);
	}

	/** Returns the upper bound in milliseconds, rounded up. */
	@Nullable Long limitMillis() {
		Duration limit = this.limit;
		return (limit != null) ? limit.plusNanos(999_999).toMillis() : null;
	}

}
