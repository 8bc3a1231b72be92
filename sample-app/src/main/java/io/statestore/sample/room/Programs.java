package io.statestore.sample.room;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.statestore.sample.SampleApplication;

/** Starts and signals processes. */
final class Programs {

	private Programs() {
	}

	/**
	 * Returns the command that runs the sample as this process does.
	 * @param heap maximum size of its heap
	 */
	static List<String> sample(String heap, List<String> arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap,
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
		String classPath = System.getProperty("java.class.path");
		boolean packaged = String.valueOf(SampleApplication.class.getResource("SampleApplication.class"))
			.startsWith("jar:nested:");
		command.addAll(
				packaged ? List.of("-jar", classPath) : List.of("-cp", classPath, SampleApplication.class.getName()));
		command.addAll(arguments);
		return command;
	}

	/** Starts a process whose output appears among that of this process. */
	static Process start(String name, List<String> command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			Thread output = new Thread(() -> print(name, process), "output-" + name);
			output.setDaemon(true);
			output.start();
			return process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void print(String name, Process process) {
		try (BufferedReader output = process.inputReader()) {
			output.lines().forEach((line) -> System.out.println(name + " | " + line));
		}
		catch (IOException | UncheckedIOException ex) {
			// The process was killed.
		}
	}

	/** Returns whether processes can be stopped and continued: not on Windows. */
	static boolean canSignal() {
		return !System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows")
				&& Files.isExecutable(Path.of("/bin/sh"));
	}

	/** Sends a signal. Shells have 'kill' even where no such program is installed. */
	static void signal(String signal, long pid) {
		Process kill = start("kill", List.of("/bin/sh", "-c", "kill -" + signal + ' ' + pid));
		if (awaitExit(kill) != 0) {
			throw new IllegalStateException("SIG" + signal + " could not be sent to process " + pid);
		}
	}

	/**
	 * Returns the exit code of a process that ends at once. Not with
	 * {@link Process#onExit()}, which needs a thread of the common pool: it may be
	 * waiting for a monitor of the caller. An interrupt does not end the wait, because
	 * the signal may have been sent.
	 */
	static int awaitExit(Process process) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return process.waitFor();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
