package io.statestore.dafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Checks of options. Each message names the option and its valid values. Internal: not
 * part of the API.
 */
public final class Options {

	private static final int MAX_NAME_LENGTH = 255;

	private static final int MAX_PORT = 65_535;

	private static final Duration DAY = Duration.ofDays(1);

	private Options() {
	}

	/**
	 * Checks and encodes the name of a topic.
	 * @param topic name of the topic
	 * @return the name in UTF-8
	 * @throws IllegalArgumentException if the name is invalid
	 */
	public static Bytes topic(String topic) {
		byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && topic.indexOf('\0') < 0, "topic",
				"of " + bytes.length + " bytes", "1 to 255 bytes of UTF-8 without NUL");
		return Bytes.wrap(bytes);
	}

	/**
	 * Checks and encodes the address of a node.
	 * @param address address of the node
	 * @return the address in ISO 8859-1
	 * @throws IllegalArgumentException if the address is invalid
	 */
	public static Bytes address(String address) {
		byte[] bytes = address.getBytes(StandardCharsets.ISO_8859_1);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && address.indexOf('\0') < 0, "address", address,
				"1 to 255 characters without NUL, preferably 32 upper-case hexadecimal digits");
		return Bytes.wrap(bytes);
	}

	/**
	 * Checks a host name or an IP address.
	 * @param name name of the option
	 * @param host the value
	 */
	public static void requireHost(String name, String host) {
		require(!host.isBlank() && host.chars().noneMatch((c) -> c <= ' ' || c == '/'), name, '\'' + host + '\'',
				"a host name or an IP address");
	}

	/**
	 * Checks a port.
	 * @param name name of the option
	 * @param port the value
	 * @param lowest minimum, 0 if the operating system may choose the port
	 */
	public static void requirePort(String name, int port, int lowest) {
		require(port >= lowest && port <= MAX_PORT, name, port, lowest + " to " + MAX_PORT);
	}

	/**
	 * Checks a duration, which must not exceed one day.
	 * @param name name of the option
	 * @param value the value
	 * @param lowest minimum
	 */
	public static void requireDuration(String name, Duration value, Duration lowest) {
		require(value.compareTo(lowest) >= 0 && value.compareTo(DAY) <= 0, name, value, lowest + " to " + DAY);
	}

	/**
	 * Checks a number.
	 * @param name name of the option
	 * @param value the value
	 * @param lowest minimum
	 */
	public static void requireAtLeast(String name, long value, long lowest) {
		require(value >= lowest, name, value, "at least " + lowest);
	}

	/**
	 * Checks a condition.
	 * @param valid whether the value is valid
	 * @param name name of the option
	 * @param value the value, for the message
	 * @param expected description of valid values, for the message
	 * @throws IllegalArgumentException if the value is invalid
	 */
	public static void require(boolean valid, String name, Object value, String expected) {
		if (!valid) {
			throw new IllegalArgumentException("'" + name + "' is " + value + " but must be " + expected);
		}
	}

}
