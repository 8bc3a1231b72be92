package io.statestore.broker.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Environments for processes with another wall clock, for tests that require the
 * {@code faketime} program.
 */
public final class Faketime {

	private Faketime() {
	}

	/**
	 * Returns the environment for a process whose wall clock is shifted by an offset. Its
	 * monotonic clock is not changed.
	 * @param offset the offset, such as {@code -1d}
	 * @return environment variables by name
	 * @throws IOException if the library cannot be searched for
	 */
	public static Map<String, String> offset(String offset) throws IOException {
		return Map.of("LD_PRELOAD", library(), "FAKETIME", offset, "FAKETIME_DONT_FAKE_MONOTONIC", "1");
	}

	/**
	 * Returns the environment for a process whose wall clock is controlled by a file. Its
	 * monotonic clock is not changed.
	 * @param file file that contains an offset such as {@code +600}
	 * @return environment variables by name
	 * @throws IOException if the library cannot be searched for
	 */
	public static Map<String, String> file(Path file) throws IOException {
		return Map.of("LD_PRELOAD", library(), "FAKETIME_TIMESTAMP_FILE", file.toString(), "FAKETIME_NO_CACHE", "1",
				"FAKETIME_DONT_FAKE_MONOTONIC", "1");
	}

	private static String library() throws IOException {
		try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 3,
				(file, attributes) -> file.endsWith("faketime/libfaketimeMT.so.1"))) {
			return files.findFirst().orElseThrow().toString();
		}
	}

}
