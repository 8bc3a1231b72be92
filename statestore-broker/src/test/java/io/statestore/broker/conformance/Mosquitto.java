package io.statestore.broker.conformance;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A real Mosquitto of its own process, as an example of somebody else's MQTT 5 broker.
 */
public final class Mosquitto implements AutoCloseable {

	private final Path executable;

	private final Path folder;

	private final int port;

	private Process process;

	private Mosquitto(Path executable, Path folder, List<String> extraLines) throws IOException {
		this.executable = executable;
		this.folder = folder;
		this.port = freePort();
		// As root it would become another user, who may not read its files here.
		String configuration = "user " + System.getProperty("user.name") + "\nlistener " + this.port
				+ " 127.0.0.1\nset_tcp_nodelay true\n"
				+ String.join("\n", extraLines).replace("{folder}", this.folder.toString()) + "\n";
		Files.writeString(this.folder.resolve("mosquitto.conf"), configuration);
		this.process = launch();
	}

	/**
	 * Start one that lets everybody do everything, or skip the test where there is none.
	 */
	public static Mosquitto start() throws IOException {
		return start("allow_anonymous true");
	}

	/** Start one with lines of its own in its configuration. */
	public static Mosquitto start(String... configuration) throws IOException {
		return start(Files.createTempDirectory("mosquitto"), configuration);
	}

	/** Start one in a folder with files that its configuration needs. */
	public static Mosquitto start(Path folder, String... configuration) throws IOException {
		Path executable = find();
		assumeTrue(executable != null,
				"skipped: no mosquitto on the PATH or in /usr/sbin; install Debian's 'mosquitto'");
		return new Mosquitto(executable, folder, List.of(configuration));
	}

	private static @Nullable Path find() {
		return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin", "/usr/local/sbin"))
			.map((directory) -> Path.of(directory, "mosquitto"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	public static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	public int port() {
		return this.port;
	}

	/** A file that its configuration names as {@code {folder}/name}. */
	public Path file(String name) {
		return this.folder.resolve(name);
	}

	/** What it has logged so far. */
	public String log() throws IOException {
		return Files.readString(file("log"));
	}

	/** Kill it, sessions and all; {@link #restart()} brings an empty one back. */
	public void stop() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	public void restart() throws IOException {
		stop();
		this.process = launch();
	}

	private Process launch() throws IOException {
		Process started = new ProcessBuilder(this.executable.toString(), "-c",
				this.folder.resolve("mosquitto.conf").toString())
			.redirectErrorStream(true)
			.redirectOutput(this.folder.resolve("log").toFile())
			.start();
		awaitPort(started, this.port, this::log);
		return started;
	}

	/** Wait until a process accepts connections. */
	static void awaitPort(Process process, int port, Log log) throws IOException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
		while (true) {
			try (Socket socket = new Socket()) {
				socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
				return;
			}
			catch (ConnectException ex) {
				if (!process.isAlive() || System.nanoTime() > deadline) {
					process.destroyForcibly();
					throw new IOException("Nobody listens on port " + port + ": " + log.read(), ex);
				}
				Thread.onSpinWait();
			}
		}
	}

	@Override
	public void close() throws IOException {
		stop();
		try (Stream<Path> files = Files.list(this.folder)) {
			for (Path file : files.toList()) {
				Files.delete(file);
			}
		}
		Files.delete(this.folder);
	}

	/** What a process has said. */
	interface Log {

		String read() throws IOException;

	}

}
