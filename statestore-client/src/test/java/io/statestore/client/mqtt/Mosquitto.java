package io.statestore.client.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** A real broker in a process of its own. */
public final class Mosquitto implements AutoCloseable {

	private final int port;

	private final Path configuration;

	private @Nullable Process process;

	private Mosquitto(int port, Path configuration) {
		this.port = port;
		this.configuration = configuration;
	}

	/** A running broker; the test is skipped where none is installed. */
	public static Mosquitto start(String... moreConfiguration) throws IOException {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		Path configuration = Files.createTempFile("mosquitto", ".conf");
		Files.writeString(configuration, "listener " + port + " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
				+ String.join("\n", moreConfiguration) + '\n');
		Mosquitto mosquitto = new Mosquitto(port, configuration);
		mosquitto.restart();
		return mosquitto;
	}

	public ConnectionOptions.Builder options() {
		return TestedTransport.options()
			.host("127.0.0.1")
			.port(this.port)
			.reconnectDelay(java.time.Duration.ofMillis(20), java.time.Duration.ofMillis(200));
	}

	public int port() {
		return this.port;
	}

	/** Start, on the same port as before and without any memory. */
	public void restart() throws IOException {
		Path binary = Stream.of("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto")
			.map(Path::of)
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
		Assumptions.assumeTrue(binary != null, "needs mosquitto, Debian package 'mosquitto'");
		this.process = new ProcessBuilder(binary + "", "-c", this.configuration.toString()).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		Await.until("mosquitto", this::isListening);
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

	public void kill() {
		Process process = this.process;
		if (process != null) {
			try {
				process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void close() {
		kill();
		try {
			Files.deleteIfExists(this.configuration);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
