package io.statestore.test;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs installed on this machine. */
public final class Programs {

	private Programs() {
	}

	/**
	 * Searches for a program on the {@code PATH} and in directories for servers, which
	 * are often not on the path.
	 * @param name name of the executable file
	 * @return path of the program, if it is installed
	 */
	public static Optional<Path> find(String name) {
		return Stream
			.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)),
					Stream.of("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Returns the path of a program that the test {@linkplain RequiresProgram requires}.
	 * @param name name of the executable file
	 * @return path of the program
	 */
	public static Path get(String name) {
		return find(name)
			.orElseThrow(() -> new IllegalStateException("Annotate the test with @RequiresProgram(\"" + name + "\")"));
	}

}
