package io.statestore.protocol;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reading of a hybrid logical clock (protocol section 4): the version of a value, the
 * timestamp of a request, or a fencing token. Ordered by wall time, then counter, then
 * node id.
 *
 * @param wallMillis milliseconds since 1970, at most 15 digits
 * @param counter order within one millisecond
 * @param nodeId who read the clock; not empty, without colon
 */
public record Version(long wallMillis, int counter, String nodeId) implements Comparable<Version> {

	private static final long MAX_WALL_MILLIS = 999_999_999_999_999L;

	private static final Pattern TEXT = Pattern.compile("(\\d+):(\\d+):([^:]+)");

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
	 * Read {@code wallMillis:counter:nodeId}, with or without leading zeros.
	 * @throws ProtocolException {@link ErrorReason#MALFORMED_TIMESTAMP} if it is anything
	 * else
	 */
	public static Version parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (!matcher.matches()) {
			throw malformed();
		}
		long wallMillis = number(matcher.group(1), MAX_WALL_MILLIS);
		int counter = (int) number(matcher.group(2), Integer.MAX_VALUE);
		return new Version(wallMillis, counter, matcher.group(3));
	}

	private static long number(String digits, long max) {
		long result = 0;
		for (int i = 0; i < digits.length(); i++) {
			int digit = digits.charAt(i) - '0';
			result = result * 10 + digit;
			if (result > max) {
				throw malformed();
			}
		}
		return result;
	}

	private static ProtocolException malformed() {
		return new ProtocolException(ErrorReason.MALFORMED_TIMESTAMP);
	}

	/** The form a client sends: 15 digits of wall time and 5 of the counter. */
	public String toPaddedString() {
		return pad(this.wallMillis, 15) + ':' + pad(this.counter, 5) + ':' + this.nodeId;
	}

	private static String pad(long number, int width) {
		String digits = Long.toString(number);
		return (digits.length() >= width) ? digits : "0".repeat(width - digits.length()) + digits;
	}

	@Override
	public int compareTo(Version other) {
		int result = Long.compare(this.wallMillis, other.wallMillis);
		if (result == 0) {
			result = Integer.compare(this.counter, other.counter);
		}
		return (result != 0) ? result : this.nodeId.compareTo(other.nodeId);
	}

	/** The form a server sends: numbers without leading zeros. */
	@Override
	public String toString() {
		return this.wallMillis + ":" + this.counter + ':' + this.nodeId;
	}

}
