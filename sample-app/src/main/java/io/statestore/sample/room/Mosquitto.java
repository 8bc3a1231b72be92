package io.statestore.sample.room;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.broker.storage.StorageOptions;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Mosquitto in a separate process, and our gateway, which adds the state store to
 * Mosquitto: docs/deployment.md.
 */
final class Mosquitto {

	/**
	 * Script that ends Mosquitto at the end of its input, even if this control room is
	 * killed.
	 */
	private static final String SCRIPT = "PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin; "
			+ "command -v mosquitto >/dev/null && { mosquitto -c \"$0\" & read end; kill $!; wait $!; }";

	private Mosquitto() {
	}

	static AutoCloseable start(Path directory, int port, StorageOptions storage) {
		try {
			String file = configure(directory, port);
			Process shell = ChildProcess.launch("mosquitto", Map.of(), List.of("/bin/sh", "-c", SCRIPT, file));
			StateStoreGateway gateway = gateway(shell, port, storage);
			return () -> {
				gateway.close();
				shell.getOutputStream().close();
				shell.waitFor();
			};
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String configure(Path directory, int port) throws IOException {
		Path data = Files.createDirectories(directory.resolve("mosquitto"));
		// If started by root, Mosquitto would switch to a user that is not permitted to
		// use the directory.
		List<String> lines = List.of("user " + System.getProperty("user.name"), "listener " + port + " 127.0.0.1",
				"allow_anonymous true", "set_tcp_nodelay true", "persistence true",
				"persistence_location " + data + '/', "log_type error", "log_type warning");
		return Files.write(data.resolve("mosquitto.conf"), lines).toString();
	}

	/** Starts the gateway, trying again until Mosquitto listens. */
	private static StateStoreGateway gateway(Process mosquitto, int port, StorageOptions storage)
			throws InterruptedException {
		for (int i = 0; true; i++) {
			try {
				return StateStoreGateway.builder()
					.host("localhost")
					.port(port)
					.administration(true)
					.storage(storage)
					.start();
			}
			catch (RuntimeException ex) {
				if (i == 100 || !mosquitto.isAlive()) {
					mosquitto.destroy();
					throw new InvalidConfigurationPropertyValueException("sample.broker", "mosquitto",
							"It could not be started: " + ex.getMessage()
									+ ". Install the package 'mosquitto', or remove the property");
				}
				Thread.sleep(50);
			}
		}
	}

}
