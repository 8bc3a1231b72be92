package io.statestore.dafka.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Checks options and arguments. Internal: not part of the API. */
public final class Options {

	private static final int MAX_NAME_LENGTH = 255;

	private static final int MAX_PORT = 65_535;

	private static final Duration DAY = Duration.ofDays(1);

	private Options() {
	}

	/**
	 * Returns a topic name's wire form.
	 * @param topic the topic name
	 * @return 1 to 255 bytes of UTF-8
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public static byte[] topic(String topic) {
		byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && topic.indexOf('\0') < 0, "topic",
				"of " + bytes.length + " bytes", "1 to 255 bytes of UTF-8 without NUL");
		return bytes;
	}

	/**
	 * Returns a node address's wire form.
	 * @param address the node address
	 * @return 1 to 255 bytes of ISO 8859-1
	 * @throws IllegalArgumentException if the address is not valid
	 */
	public static byte[] address(String address) {
		byte[] bytes = address.getBytes(StandardCharsets.ISO_8859_1);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && address.indexOf('\0') < 0, "address", address,
				"1 to 255 characters without NUL, preferably 32 upper-case hexadecimal digits");
		return bytes;
	}

	/**
	 * Requires a host name or IP address.
	 * @param option option name for the error message
	 * @param host host to check
	 * @return the valid host
	 * @throws IllegalArgumentException if the value is blank or cannot be a host
	 */
	public static String requireHost(String option, String host) {
		require(!host.isBlank() && host.chars().noneMatch((c) -> c <= ' ' || c == '/'), option, '\'' + host + '\'',
				"a host name or an IP address");
		return host;
	}

	/**
	 * Requires a valid port.
	 * @param option option name for the error message
	 * @param port port to check
	 * @param lowest lowest valid port
	 * @return the valid port
	 * @throws IllegalArgumentException if the value is not between {@code lowest} and
	 * 65535
	 */
	public static int requirePort(String option, int port, int lowest) {
		require(port >= lowest && port <= MAX_PORT, option, port, lowest + " to " + MAX_PORT);
		return port;
	}

	/**
	 * Requires a duration of at most one day.
	 * @param option option name for the error message
	 * @param value duration to check
	 * @param lowest shortest valid duration
	 * @return the valid duration
	 * @throws IllegalArgumentException if the value is not between {@code lowest} and one
	 * day
	 */
	public static Duration requireDuration(String option, Duration value, Duration lowest) {
		require(value.compareTo(lowest) >= 0 && value.compareTo(DAY) <= 0, option, value, lowest + " to " + DAY);
		return value;
	}

	/**
	 * Requires a minimum value.
	 * @param option option name for the error message
	 * @param value value to check
	 * @param lowest lowest valid value
	 * @return the valid value
	 * @throws IllegalArgumentException if the value is below {@code lowest}
	 */
	public static long requireAtLeast(String option, long value, long lowest) {
		require(value >= lowest, option, value, "at least " + lowest);
		return value;
	}

	/**
	 * Requires a minimum value.
	 * @param option option name for the error message
	 * @param value value to check
	 * @param lowest lowest valid value
	 * @return the valid value
	 * @throws IllegalArgumentException if the value is below {@code lowest}
	 */
	public static int requireAtLeast(String option, int value, int lowest) {
		return (int) requireAtLeast(option, (long) value, lowest);
	}

	/**
	 * Requires a condition.
	 * @param condition whether the value is valid
	 * @param option option name for the error message
	 * @param value the value, shown after "is" in the message
	 * @param valid description of valid values, shown after "must be" in the message
	 * @throws IllegalArgumentException if the condition is false
	 */
	public static void require(boolean condition, String option, Object value, String valid) {
		if (!condition) {
			throw new IllegalArgumentException("'" + option + "' is " + value + " but must be " + valid);
		}
	}

}
