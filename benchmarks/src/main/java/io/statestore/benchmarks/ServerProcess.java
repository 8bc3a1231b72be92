package io.statestore.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Server in a process of its own.
 *
 * @param port port on which it listens
 * @param process its process
 */
record ServerProcess(int port, Process process) implements AutoCloseable {

	private static final long START_SECONDS = 60;

	/** Waits until the server listens. */
	ServerProcess awaitStart(Path output) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
		while (!isListening()) {
			if (!this.process.isAlive() || System.nanoTime() > deadline) {
				kill();
				throw new IOException("No server on port " + this.port + ":\n" + Files.readString(output));
			}
			Thread.sleep(1);
		}
		return this;
	}

	private boolean isListening() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port), 1000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
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

	/** Returns a command that runs a class in a JVM with the class path of this one. */
	static List<String> java(String options, String main, String... arguments) {
		Stream<String> command = Stream.of(java(), options, "-cp", System.getProperty("java.class.path"), main);
		return Stream.concat(command, Stream.of(arguments)).toList();
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

}
