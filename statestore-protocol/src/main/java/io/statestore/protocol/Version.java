package io.statestore.protocol;

/**
 * A reading of a hybrid logical clock (protocol section 4). It serves as the version of a
 * value, the timestamp of a request, or a fencing token. Readings are ordered by wall
 * time, then by counter, then by node id.
 *
 * @param wallMillis milliseconds since 1970, at most 15 digits
 * @param counter the order within one millisecond
 * @param nodeId the id of the node whose clock was read; must not be empty or contain a
 * colon
 */
public record Version(long wallMillis, int counter, String nodeId) implements Comparable<Version> {

	private static final long MAX_WALL_MILLIS = 999_999_999_999_999L;

	private static final int MAX_WALL_DIGITS = 15;

	/**
	 * Number of characters before the node id, unless the counter has more than five
	 * digits.
	 */
	private static final int PADDED_LENGTH = MAX_WALL_DIGITS + 1 + 5 + 1;

	private static final int MAX_COUNTER_DIGITS = 10;

	/**
	 * Creates a reading.
	 * @throws IllegalArgumentException if a number is out of range, or the node id is
	 * empty or contains a colon
	 */
	public Version {
		if (wallMillis < 0 || wallMillis > MAX_WALL_MILLIS || counter < 0) {
			throw new IllegalArgumentException(
					"'wallMillis' must be 0 to " + MAX_WALL_MILLIS + " and 'counter' not negative");
		}
		if (nodeId.isEmpty() || nodeId.indexOf(':') >= 0) {
			throw new IllegalArgumentException("'nodeId' must not be empty or contain a colon");
		}
	}

	/**
	 * Parses {@code wallMillis:counter:nodeId}. The numbers may have leading zeros, with
	 * up to 15 and 10 digits in total.
	 * @param text the encoded reading
	 * @return the reading
	 * @throws ProtocolException with {@link ErrorReason#MALFORMED_TIMESTAMP} if the text
	 * has another format
	 */
	public static Version parse(String text) {
		int first = text.indexOf(':');
		int second = text.indexOf(':', first + 1);
		if (first < 0 || second < 0 || second + 1 == text.length() || text.indexOf(':', second + 1) >= 0) {
			throw malformed();
		}
		long wallMillis = number(text, 0, first, MAX_WALL_DIGITS);
		long counter = number(text, first + 1, second, MAX_COUNTER_DIGITS);
		if (counter > Integer.MAX_VALUE) {
			throw malformed();
		}
		return new Version(wallMillis, (int) counter, text.substring(second + 1));
	}

	private static long number(String text, int from, int to, int maxDigits) {
		if (from == to || to - from > maxDigits) {
			throw malformed();
		}
		long result = 0;
		for (int i = from; i < to; i++) {
			// Character.isDigit would also accept other scripts' digits.
			if (text.charAt(i) < '0' || text.charAt(i) > '9') {
				throw malformed();
			}
			result = result * 10 + (text.charAt(i) - '0');
		}
		return result;
	}

	private static ProtocolException malformed() {
		return new ProtocolException(ErrorReason.MALFORMED_TIMESTAMP);
	}

	/**
	 * Returns the format that clients send: at least 15 digits for the wall time and 5
	 * for the counter.
	 * @return the padded text
	 */
	public String toPaddedString() {
		StringBuilder text = new StringBuilder(PADDED_LENGTH + this.nodeId.length());
		appendPadded(text, this.wallMillis, 100_000_000_000_000L);
		appendPadded(text, this.counter, 10_000);
		return text.append(this.nodeId).toString();
	}

	/**
	 * Appends a number with leading zeros, followed by a colon.
	 * @param place the value of the first digit, a power of ten
	 */
	private static void appendPadded(StringBuilder text, long number, long place) {
		for (long zero = place; zero > 1 && number < zero; zero /= 10) {
			text.append('0');
		}
		text.append(number).append(':');
	}

	@Override
	public int compareTo(Version other) {
		int result = Long.compare(this.wallMillis, other.wallMillis);
		if (result == 0) {
			result = Integer.compare(this.counter, other.counter);
		}
		return (result != 0) ? result : this.nodeId.compareTo(other.nodeId);
	}

	/**
	 * Returns the format that servers send: numbers without leading zeros.
	 * @return the text without padding
	 */
	@Override
	public String toString() {
		return this.wallMillis + ":" + this.counter + ':' + this.nodeId;
	}

}
