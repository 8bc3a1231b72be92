package io.statestore.sample.room;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.gateway.StateStoreGateway;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Mosquitto in a process of its own, and our gateway, which adds the state store to it:
 * docs/gateway.md.
 *
 * @param directory directory of Mosquitto and the store
 */
record MosquittoServer(Path directory) implements BrokerServer {

	private static final int ATTEMPTS = 100;

	private static final int EXIT_SECONDS = 10;

	@Override
	public BrokerServer.Running start(int port) {
		Process mosquitto = Programs.start("mosquitto", List.of(executable().toString(), "-c", configure(port)));
		Process guard = guard(mosquitto);
		try {
			awaitPort(mosquitto, port);
			StateStoreGateway gateway = StateStoreGateway.builder()
				.host("localhost")
				.port(port)
				.administration(true)
				.storage(BrokerServer.storage(this.directory.resolve("gateway")))
				.start();
			return new Running(mosquitto, guard, gateway);
		}
		catch (RuntimeException ex) {
			guard.destroyForcibly();
			mosquitto.destroyForcibly();
			throw invalid("It could not be started: " + ex.getMessage());
		}
	}

	private static Path executable() {
		return Stream
			.concat(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)),
					Stream.of("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"))
			.map((folder) -> Path.of(folder, "mosquitto"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseThrow(() -> invalid("It is not installed. Install the package 'mosquitto', or remove the property"));
	}

	private static InvalidConfigurationPropertyValueException invalid(String reason) {
		return new InvalidConfigurationPropertyValueException("sample.broker", "mosquitto", reason);
	}

	private String configure(int port) {
		try {
			Path data = Files.createDirectories(this.directory.resolve("mosquitto"));
			// Started by root, it would change to a user that may not use the directory.
			List<String> lines = List.of("user " + System.getProperty("user.name"), "listener " + port + " 127.0.0.1",
					"allow_anonymous true", "set_tcp_nodelay true", "persistence true",
					"persistence_location " + data.toAbsolutePath() + '/', "log_type error", "log_type warning");
			return Files.write(data.resolve("mosquitto.conf"), lines).toString();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts a process that ends Mosquitto if this control room is killed. */
	private static Process guard(Process mosquitto) {
		long room = ProcessHandle.current().pid();
		return Programs.start("guard", List.of("/bin/sh", "-c",
				"while kill -0 " + room + " 2>/dev/null; do sleep 1; done; kill " + mosquitto.pid()));
	}

	private static void awaitPort(Process mosquitto, int port) {
		for (int i = 0; i < ATTEMPTS && mosquitto.isAlive(); i++) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
				return;
			}
			catch (IOException ex) {
				sleep();
			}
		}
		throw new IllegalStateException("Mosquitto does not listen on port " + port + "; see its output");
	}

	private static void sleep() {
		try {
			Thread.sleep(50);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** The processes and the gateway. */
	private record Running(Process mosquitto, Process guard,
			StateStoreGateway gateway) implements BrokerServer.Running {

		@Override
		public void close() {
			try {
				this.gateway.close();
			}
			finally {
				this.guard.destroyForcibly();
				this.mosquitto.destroy();
				awaitExit();
			}
		}

		/** Kills Mosquitto if it does not end in time. */
		private void awaitExit() {
			try {
				if (this.mosquitto.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
					return;
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.mosquitto.destroyForcibly();
		}

	}

}
