package io.statestore.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Mosquitto in a separate process, as an example of a third-party MQTT 5 broker. Listens
 * on a free port on 127.0.0.1. {@link RequiresProgram} skips tests if Mosquitto is not
 * installed.
 */
public final class Mosquitto implements AutoCloseable {

	private final Path folder;

	private final int port;

	private JavaProcess process;

	private Mosquitto(Path folder, String... lines) throws IOException {
		this.folder = folder;
		this.port = FreePorts.next();
		// If started by root, Mosquitto would switch to a user that is not permitted to
		// read the folder.
		String configuration = "user " + System.getProperty("user.name") + "\nlistener " + this.port
				+ " 127.0.0.1\nset_tcp_nodelay true\n"
				+ String.join("\n", lines).replace("{folder}", this.folder.toString()) + "\n";
		Files.writeString(file("mosquitto.conf"), configuration);
		this.process = launch();
	}

	/**
	 * Starts a Mosquitto broker that permits everything to every client.
	 * @return a running broker
	 */
	public static Mosquitto start() {
		return start("allow_anonymous true");
	}

	/**
	 * Starts a Mosquitto broker.
	 * @param lines configuration lines, without the listener
	 * @return a running broker
	 */
	public static Mosquitto start(String... lines) {
		return start(UncheckedIo.get(() -> Files.createTempDirectory("mosquitto")), lines);
	}

	/**
	 * Starts a Mosquitto broker in a folder with files that its configuration refers to.
	 * @param folder the folder, which is deleted on close
	 * @param lines configuration lines, in which {@code {folder}} represents the folder's
	 * path
	 * @return a running broker
	 */
	public static Mosquitto start(Path folder, String... lines) {
		return UncheckedIo.get(() -> new Mosquitto(folder, lines));
	}

	private JavaProcess launch() {
		JavaProcess started = JavaProcess.of("Mosquitto",
				new ProcessBuilder(Programs.get("mosquitto").toString(), "-c", file("mosquitto.conf").toString()));
		started.await(" running$");
		return started;
	}

	/**
	 * Returns the port that clients connect to.
	 * @return the port on 127.0.0.1
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the path of a file in the folder.
	 * @param name name of the file
	 * @return path of the file
	 */
	public Path file(String name) {
		return this.folder.resolve(name);
	}

	/**
	 * Returns what Mosquitto has logged since its last start.
	 * @return complete log lines
	 */
	public String log() {
		return this.process.errors();
	}

	/** Kills the process. Its sessions are lost. */
	public void stop() {
		this.process.kill();
	}

	/**
	 * Kills the process and starts another process on the same port, without any
	 * sessions.
	 */
	public void restart() {
		stop();
		this.process = launch();
	}

	/** Kills the process and deletes the folder. */
	@Override
	public void close() {
		stop();
		try (Stream<Path> files = Files.list(this.folder)) {
			for (Path file : files.toList()) {
				Files.delete(file);
			}
			Files.delete(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
