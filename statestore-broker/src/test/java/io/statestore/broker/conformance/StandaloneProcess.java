package io.statestore.broker.conformance;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.standalone.StandaloneBroker;

import static org.assertj.core.api.Assertions.assertThat;

/** The program of {@link StandaloneBroker} in a JVM of its own. */
public final class StandaloneProcess implements AutoCloseable {

	private static final Pattern READY = Pattern.compile("mqtts?://[^:]+:(\\d+)");

	private final Process process;

	private final int port;

	private StandaloneProcess(Process process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Starts it, and waits for nothing.
	 * @param arguments options of the program and of the JVM, such as {@code -Xmx64m}
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public static Process launch(String... arguments) throws IOException {
		return launch(Map.of(), arguments);
	}

	private static Process launch(Map<String, String> environment, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
		Stream.of(arguments).filter(StandaloneProcess::isJvmOption).forEach(command::add);
		command.addAll(
				List.of("-cp", withoutTests(System.getProperty("java.class.path")), StandaloneBroker.class.getName()));
		Stream.of(arguments).filter((argument) -> !isJvmOption(argument)).forEach(command::add);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().putAll(environment);
		return builder.start();
	}

	private static boolean isJvmOption(String argument) {
		return argument.startsWith("-X");
	}

	/** The logging configuration of the tests is not that of a user. */
	private static String withoutTests(String classPath) {
		return Stream.of(classPath.split(File.pathSeparator))
			.filter((entry) -> !entry.contains("test-classes"))
			.collect(Collectors.joining(File.pathSeparator));
	}

	/** Start it and wait until it says where it is. */
	public static StandaloneProcess start(String... arguments) throws IOException {
		return start(Map.of(), arguments);
	}

	/**
	 * Starts it with environment variables, and waits until it accepts clients.
	 * @param environment variables in addition to those of this process
	 * @param arguments options of the program and of the JVM
	 * @return the process
	 * @throws IOException if it ends instead
	 */
	public static StandaloneProcess start(Map<String, String> environment, String... arguments) throws IOException {
		Process process = launch(environment, arguments);
		BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		List<String> lines = new ArrayList<>();
		String line = output.readLine();
		while (line != null) {
			lines.add(line);
			Matcher ready = READY.matcher(line);
			if (ready.find()) {
				drain(output);
				return new StandaloneProcess(process, Integer.parseInt(ready.group(1)));
			}
			line = output.readLine();
		}
		throw new IOException("The standalone process ended: " + lines);
	}

	/** A full pipe would stop it. */
	private static void drain(BufferedReader output) {
		Thread thread = new Thread(() -> {
			try {
				output.transferTo(Writer.nullWriter());
			}
			catch (IOException ex) {
				// It has ended.
			}
		}, "standalone-output");
		thread.setDaemon(true);
		thread.start();
	}

	public int port() {
		return this.port;
	}

	/** Returns the exit code, once the process has ended within 20 s. */
	public int exitCode() throws InterruptedException {
		assertThat(this.process.waitFor(20, TimeUnit.SECONDS)).as("The process has ended").isTrue();
		return this.process.exitValue();
	}

	/** Stop it as Ctrl+C does, and wait for its end. */
	@Override
	public void close() {
		this.process.destroy();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
