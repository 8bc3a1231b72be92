package io.statestore.dafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Checks of options; each message names the option and what it takes. */
public final class Options {

	private static final int MAX_NAME_LENGTH = 255;

	private static final int MAX_PORT = 65_535;

	private static final Duration DAY = Duration.ofDays(1);

	private Options() {
	}

	/** The wire form of a topic name. */
	public static Bytes topic(String topic) {
		byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && topic.indexOf('\0') < 0, "topic",
				"of " + bytes.length + " bytes", "1 to 255 bytes of UTF-8 without NUL");
		return Bytes.wrap(bytes);
	}

	/** The wire form of a node's address. */
	public static Bytes address(String address) {
		byte[] bytes = address.getBytes(StandardCharsets.ISO_8859_1);
		require(bytes.length >= 1 && bytes.length <= MAX_NAME_LENGTH && address.indexOf('\0') < 0, "address", address,
				"1 to 255 characters without NUL, best 32 upper-case hexadecimal digits");
		return Bytes.wrap(bytes);
	}

	public static void requireHost(String name, String host) {
		require(!host.isBlank() && host.chars().noneMatch((c) -> c <= ' ' || c == '/'), name, '\'' + host + '\'',
				"a host name or an IP address");
	}

	public static void requirePort(String name, int port, int lowest) {
		require(port >= lowest && port <= MAX_PORT, name, port, lowest + " to " + MAX_PORT);
	}

	/** From {@code lowest} to one day. */
	public static void requireDuration(String name, Duration value, Duration lowest) {
		require(value.compareTo(lowest) >= 0 && value.compareTo(DAY) <= 0, name, value, lowest + " to " + DAY);
	}

	public static void requireAtLeast(String name, long value, long lowest) {
		require(value >= lowest, name, value, "at least " + lowest);
	}

	public static void require(boolean valid, String name, Object value, String expected) {
		if (!valid) {
			throw new IllegalArgumentException("'" + name + "' is " + value + " but must be " + expected);
		}
	}

}
