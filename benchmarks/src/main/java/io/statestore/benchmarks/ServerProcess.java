package io.statestore.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Server in a process of its own. */
final class ServerProcess implements AutoCloseable {

	private static final long START_SECONDS = 60;

	private final int port;

	private final Process process;

	private ServerProcess(int port, Process process) {
		this.port = port;
		this.process = process;
	}

	/**
	 * Starts a server, and waits until it listens.
	 * @param port port on which it listens
	 * @param output receives its output, or {@code null} to discard it
	 * @param command program and arguments
	 */
	static ServerProcess start(int port, @Nullable Path output, List<String> command)
			throws IOException, InterruptedException {
		ServerProcess server = launch(port, output, command);
		Process process = server.process;
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
		while (!isListening(port)) {
			if (!process.isAlive() || System.nanoTime() > deadline) {
				process.destroyForcibly();
				throw new IOException(String.join(" ", command) + " did not start on port " + port
						+ ((output != null) ? ":\n" + Files.readString(output) : ""));
			}
			Thread.sleep(1);
		}
		return server;
	}

	/**
	 * Starts a server, without waiting.
	 * @param port port on which it will listen
	 * @param output receives its output, or {@code null} to discard it
	 * @param command program and arguments
	 */
	static ServerProcess launch(int port, @Nullable Path output, List<String> command) throws IOException {
		return new ServerProcess(port, new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(
					(output != null) ? ProcessBuilder.Redirect.to(output.toFile()) : ProcessBuilder.Redirect.DISCARD)
			.start());
	}

	int port() {
		return this.port;
	}

	/** Returns the processor time that the process has used. */
	Duration processorTime() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	/** Kills the process, as {@code kill -9} does. */
	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
			kill();
		}
	}

	/** Returns the path of a program, {@code null} if it is not installed. */
	static @Nullable String find(String name) {
		String path = System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin:/opt/homebrew/bin:/opt/homebrew/sbin";
		return Stream.of(path.split(":"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst()
			.orElse(null);
	}

	/** Returns the path of the program that runs this JVM. */
	static String java() {
		return Path.of(System.getProperty("java.home"), "bin", "java").toString();
	}

	static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static boolean isListening(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
