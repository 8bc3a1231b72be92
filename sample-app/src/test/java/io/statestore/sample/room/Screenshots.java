package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Pictures of the page, in {@code target/screenshots}. The property
 * {@code sample.screenshots}, a directory relative to the root of the repository, also
 * writes those of the documentation.
 */
final class Screenshots {

	private static final Path TARGET = Path.of("target", "screenshots");

	private Screenshots() {
	}

	static void write(String name, byte[] png) {
		try {
			Files.createDirectories(TARGET);
			Files.write(TARGET.resolve(name + ".png"), png);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
