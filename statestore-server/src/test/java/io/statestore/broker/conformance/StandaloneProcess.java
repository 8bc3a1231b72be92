package io.statestore.broker.conformance;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.statestore.broker.standalone.StandaloneBroker;
import io.statestore.test.JavaProcess;

/** {@link StandaloneBroker} running in a separate JVM. */
public final class StandaloneProcess implements AutoCloseable {

	/** How long to wait for the end of a program that ends by itself. */
	public static final Duration EXIT_TIMEOUT = Duration.ofSeconds(20);

	private final JavaProcess process;

	private final int port;

	private StandaloneProcess(JavaProcess process) {
		this.process = process;
		this.port = Integer.parseInt(process.await("mqtts?://[^:]+:(\\d+)").group(1));
	}

	/**
	 * Starts the program, without waiting until it accepts clients.
	 * @param arguments options for the program and the JVM, such as {@code -Xmx64m}
	 * @return the process
	 */
	public static JavaProcess launch(String... arguments) {
		return launch(Map.of(), arguments);
	}

	/**
	 * Starts the program of another build.
	 * @param classPath the other build's class path
	 * @param arguments options for the program and the JVM
	 * @return the process
	 */
	public static JavaProcess launch(List<Path> classPath, String... arguments) {
		return launch(JavaProcess.of(StandaloneBroker.class)
			.withoutClassPathEntries((entry) -> true)
			.withClassPathEntries(classPath.toArray(Path[]::new)), arguments);
	}

	private static JavaProcess launch(Map<String, String> environment, String... arguments) {
		return launch(JavaProcess.of(StandaloneBroker.class).withoutTests().environment(environment), arguments);
	}

	private static JavaProcess launch(JavaProcess.Builder builder, String... arguments) {
		return builder.options(Stream.of(arguments).filter(StandaloneProcess::isJvmOption).toArray(String[]::new))
			.arguments(Stream.of(arguments).filter((argument) -> !isJvmOption(argument)).toArray())
			.start();
	}

	private static boolean isJvmOption(String argument) {
		return argument.startsWith("-X");
	}

	/**
	 * Starts the program and waits until it prints its address.
	 * @param arguments options for the program and the JVM
	 * @return the process
	 */
	public static StandaloneProcess start(String... arguments) {
		return start(Map.of(), arguments);
	}

	/**
	 * Starts the program with environment variables and waits until it prints its
	 * address.
	 * @param environment variables in addition to this process's variables
	 * @param arguments options for the program and the JVM
	 * @return the process
	 */
	public static StandaloneProcess start(Map<String, String> environment, String... arguments) {
		return new StandaloneProcess(launch(environment, arguments));
	}

	public int port() {
		return this.port;
	}

	/** Waits up to 20 s for the program's end, and returns its exit code. */
	public int exitCode() {
		return this.process.awaitExit(EXIT_TIMEOUT);
	}

	/** Kills the program with SIGKILL and waits for its end. */
	public void kill() {
		this.process.kill();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** Returns everything the program has logged. */
	public String log() {
		return this.process.output() + this.process.errors();
	}

	/** Stops the program as Ctrl+C does and waits for its end. */
	@Override
	public void close() {
		this.process.terminate();
		this.process.awaitExit();
	}

}
