package io.statestore.test;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A Java program in a separate JVM, with the test's class path. Its output is collected
 * and included in the message if a wait fails. If a test does not close its process, the
 * process ends with the test's JVM.
 */
public final class JavaProcess implements AutoCloseable {

	/** Default timeout of each wait. Allows for a machine that also runs other builds. */
	public static final Duration TIMEOUT = Duration.ofMinutes(2);

	/** Maximum number of output characters in a message. */
	private static final int MESSAGE_LIMIT = 4_000;

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private static final Set<JavaProcess> RUNNING = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime()
			.addShutdownHook(new Thread(() -> RUNNING.forEach((running) -> running.process.destroyForcibly())));
	}

	private final String name;

	private final Process process;

	private final Output output;

	private final Output errors;

	private JavaProcess(String name, Process process, Consumer<String> lineListener) {
		this.name = name;
		this.process = process;
		this.output = new Output(name + " output", process.inputReader(StandardCharsets.UTF_8), lineListener);
		this.errors = new Output(name + " errors", process.errorReader(StandardCharsets.UTF_8), (line) -> {
		});
		RUNNING.add(this);
		process.onExit().thenRun(() -> RUNNING.remove(this));
	}

	/**
	 * Returns a builder for a process that runs a program.
	 * @param program class with a main method
	 * @return a new builder
	 */
	public static Builder of(Class<?> program) {
		return new Builder(program);
	}

	/** Starts a program other than Java, with the same output handling and cleanup. */
	static JavaProcess of(String name, ProcessBuilder program) {
		return new JavaProcess(name, UncheckedIo.get(program::start), (line) -> {
		});
	}

	/**
	 * Returns the lines that the process has written to standard output.
	 * @return complete lines so far
	 */
	public String output() {
		return this.output.text();
	}

	/**
	 * Returns the lines that the process has written to standard error.
	 * @return complete lines so far
	 */
	public String errors() {
		return this.errors.text();
	}

	/**
	 * Waits until a line, or a part of it, appears in standard output or standard error.
	 * Ignores an unfinished line until its stream ends.
	 * @param regex regular expression, in which ^ and $ match at line ends
	 * @return the first match
	 * @throws AssertionError if there is no match before the timeout or the end of the
	 * process
	 */
	public MatchResult await(String regex) {
		return await(regex, List.of(this.output, this.errors));
	}

	/**
	 * Waits until a line, or a part of it, appears in standard error. Ignores an
	 * unfinished line until the stream ends.
	 * @param regex regular expression, in which ^ and $ match at line ends
	 * @return the first match
	 * @throws AssertionError if there is no match before the timeout or the end of the
	 * process
	 */
	public MatchResult awaitError(String regex) {
		return await(regex, List.of(this.errors));
	}

	private MatchResult await(String regex, List<Output> streams) {
		Pattern pattern = Pattern.compile(regex, Pattern.MULTILINE);
		waitUntil("print " + regex, TIMEOUT, () -> find(pattern, streams) != null || hasEnded());
		MatchResult found = find(pattern, streams);
		if (found == null) {
			throw new AssertionError(describe("has ended and did not print " + regex));
		}
		return found;
	}

	private static @Nullable MatchResult find(Pattern pattern, List<Output> streams) {
		for (Output stream : streams) {
			Matcher matcher = pattern.matcher(stream.text());
			if (matcher.find()) {
				return matcher.toMatchResult();
			}
		}
		return null;
	}

	/**
	 * Returns whether the process is running.
	 * @return whether it is running
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** Returns whether the process has ended and all of its output has been collected. */
	private boolean hasEnded() {
		return !isAlive() && this.output.isComplete() && this.errors.isComplete();
	}

	/**
	 * Waits up to {@link #TIMEOUT} until the process has ended and its output is
	 * collected.
	 * @return the exit code
	 * @throws AssertionError if the process is still running after the timeout
	 */
	public int awaitExit() {
		return awaitExit(TIMEOUT);
	}

	/**
	 * Waits until the process has ended and its output is collected.
	 * @param timeout maximum wait
	 * @return the exit code
	 * @throws AssertionError if the process is still running after the timeout
	 */
	public int awaitExit(Duration timeout) {
		waitUntil("end", timeout, this::hasEnded);
		return this.process.exitValue();
	}

	private void waitUntil(String what, Duration timeout, BooleanSupplier condition) {
		try {
			Awaitility.await().pollInterval(POLL_INTERVAL).atMost(timeout).until(condition::getAsBoolean);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError(describe("did not " + what + " within " + timeout), ex);
		}
	}

	private String describe(String what) {
		return this.name + ' ' + what + "; output:\n" + tail(output()) + "\nerrors:\n" + tail(errors());
	}

	private static String tail(String text) {
		return (text.length() <= MESSAGE_LIMIT) ? text : "…" + text.substring(text.length() - MESSAGE_LIMIT);
	}

	/**
	 * Writes a line to the process's standard input.
	 * @param line the line, without a line break
	 * @throws UncheckedIOException if the process has ended
	 */
	public void write(String line) {
		try {
			this.process.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(describe("does not read its input"), ex);
		}
	}

	/** Closes the process's standard input. */
	public void closeInput() {
		UncheckedIo.run(this.process.getOutputStream()::close);
	}

	/** Suspends the process with SIGSTOP, at any instruction. */
	public void pause() {
		signal("STOP");
	}

	/** Resumes the process after {@link #pause()}. */
	public void resume() {
		signal("CONT");
	}

	private void signal(String signal) {
		// Shells implement kill even if no such program is installed.
		Process kill = UncheckedIo
			.get(new ProcessBuilder("sh", "-c", "kill -" + signal + ' ' + this.process.pid())::start);
		if (kill.onExit().join().exitValue() != 0 && isAlive()) {
			throw new IllegalStateException("SIG" + signal + " could not be sent to " + this.name);
		}
	}

	/** Requests the end of the process with SIGTERM, without waiting for it. */
	public void terminate() {
		// Process.destroy() would also close the streams before the last output is read.
		this.process.toHandle().destroy();
	}

	/** Kills the process with SIGKILL and waits for its end. */
	public void kill() {
		this.process.toHandle().destroyForcibly();
		awaitExit();
	}

	/** Kills the process if it is still running. */
	@Override
	public void close() {
		kill();
	}

	@Override
	public String toString() {
		return this.name;
	}

	/** Builds and starts a {@link JavaProcess}. */
	public static final class Builder {

		private final Class<?> program;

		private final List<String> prefix = new ArrayList<>();

		/**
		 * JVM options. Without the system properties, DevTools, if present, would run the
		 * program on another thread, and Docker Compose support would require a file.
		 */
		private final List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1",
				"-Dspring.devtools.restart.enabled=false", "-Dspring.docker.compose.enabled=false"));

		private final List<String> arguments = new ArrayList<>();

		private final List<String> classPath = new ArrayList<>(
				List.of(System.getProperty("java.class.path").split(File.pathSeparator)));

		private final ProcessBuilder process = new ProcessBuilder();

		private Consumer<String> lineListener = (line) -> {
		};

		private Builder(Class<?> program) {
			this.program = program;
		}

		/**
		 * Adds JVM options. The option for fast startup is already set.
		 * @param options options, such as {@code -Xmx64m}
		 * @return this builder
		 */
		public Builder options(String... options) {
			this.options.addAll(List.of(options));
			return this;
		}

		/**
		 * Adds program arguments.
		 * @param arguments arguments, converted to strings
		 * @return this builder
		 */
		public Builder arguments(Object... arguments) {
			Arrays.stream(arguments).map(String::valueOf).forEach(this.arguments::add);
			return this;
		}

		/**
		 * Adds environment variables to those of the test's JVM.
		 * @param variables values by variable name
		 * @return this builder
		 */
		public Builder environment(Map<String, String> variables) {
			this.process.environment().putAll(variables);
			return this;
		}

		/**
		 * Starts the JVM through another program.
		 * @param command the program and its arguments, followed by the JVM's command
		 * line
		 * @return this builder
		 */
		public Builder through(String... command) {
			this.prefix.addAll(List.of(command));
			return this;
		}

		/**
		 * Reads standard input from a file.
		 * @param file file with the input
		 * @return this builder
		 */
		public Builder input(Path file) {
			this.process.redirectInput(file.toFile());
			return this;
		}

		/**
		 * Removes existing entries from the class path.
		 * @param entry matches the entries to remove
		 * @return this builder
		 */
		public Builder withoutClassPathEntries(Predicate<String> entry) {
			this.classPath.removeIf(entry);
			return this;
		}

		/**
		 * Adds entries at the beginning of the class path.
		 * @param entries directories or archives
		 * @return this builder
		 */
		public Builder withClassPathEntries(Path... entries) {
			this.classPath.addAll(0, Arrays.stream(entries).map(Path::toString).toList());
			return this;
		}

		/**
		 * Leaves out test classes and resources, such as their logging configuration, so
		 * that the program runs as it does for users.
		 * @return this builder
		 */
		public Builder withoutTests() {
			return withoutClassPathEntries((entry) -> entry.contains("test-classes") || entry.endsWith("-tests.jar")
					|| entry.contains("statestore-test-support"));
		}

		/**
		 * Sets a listener for lines on standard output.
		 * @param listener called for each line, on a separate thread
		 * @return this builder
		 */
		public Builder onLine(Consumer<String> listener) {
			this.lineListener = listener;
			return this;
		}

		/**
		 * Starts the process.
		 * @return a running process, which the caller must close
		 * @throws UncheckedIOException if the process cannot be started
		 */
		public JavaProcess start() {
			List<String> command = new ArrayList<>(this.prefix);
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.addAll(this.options);
			command.addAll(List.of("-cp", String.join(File.pathSeparator, this.classPath), this.program.getName()));
			command.addAll(this.arguments);
			this.process.command(command);
			return new JavaProcess(this.program.getSimpleName(), UncheckedIo.get(this.process::start),
					this.lineListener);
		}

	}

	/** Collects an output stream and reports its lines, on a separate thread. */
	private static final class Output {

		private final StringBuffer text = new StringBuffer();

		private final Thread thread;

		Output(String name, BufferedReader reader, Consumer<String> lineListener) {
			this.thread = new Thread(() -> collect(reader, lineListener), name);
			this.thread.setDaemon(true);
			this.thread.start();
		}

		private void collect(BufferedReader reader, Consumer<String> lineListener) {
			try (reader) {
				for (String line = reader.readLine(); line != null; line = reader.readLine()) {
					this.text.append(line + '\n');
					lineListener.accept(line);
				}
			}
			catch (IOException ex) {
				// Reading fails if the process was killed.
			}
		}

		/**
		 * Returns the lines so far. The last line is complete or at the end of the
		 * stream.
		 */
		String text() {
			return this.text.toString();
		}

		boolean isComplete() {
			return !this.thread.isAlive();
		}

	}

}
