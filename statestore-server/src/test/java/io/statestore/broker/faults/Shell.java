package io.statestore.broker.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs operating system commands. */
final class Shell {

	private Shell() {
	}

	/**
	 * Runs a command.
	 * @return the command's output
	 * @throws IllegalStateException if the command fails
	 */
	static String run(String... command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(List.of(command) + " failed: " + output);
			}
			return output;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Runs a command, and returns whether it succeeds. */
	static boolean succeeds(String... command) {
		try {
			run(command);
			return true;
		}
		catch (IllegalStateException | UncheckedIOException ex) {
			return false;
		}
	}

}
