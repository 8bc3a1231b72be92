package io.statestore.broker.faults;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.standalone.StandaloneBroker;
import io.statestore.test.JavaProcess;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import org.jspecify.annotations.Nullable;

/** A node, with its process, disk, clocks, and address. */
final class Node implements AutoCloseable {

	static final int MQTT_PORT = 1883;

	static final int PEER_PORT = 1885;

	static final int READY_PORT = 8085;

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final String name;

	private final Network network;

	private final SmallDisk disk;

	private final Clocks clocks;

	private final List<String> arguments;

	/** Directories to place before the class path. */
	private final List<Path> classes;

	private final Path logs;

	private @Nullable JavaProcess process;

	private boolean killed;

	private int starts;

	Node(String name, Network network, SmallDisk disk, Clocks clocks, List<String> arguments, List<Path> classes,
			Path logs) {
		this.name = name;
		this.network = network;
		this.disk = disk;
		this.clocks = clocks;
		this.arguments = arguments;
		this.classes = classes;
		this.logs = logs;
	}

	String name() {
		return this.name;
	}

	SmallDisk disk() {
		return this.disk;
	}

	Clocks clocks() {
		return this.clocks;
	}

	InetSocketAddress address() {
		return new InetSocketAddress(this.network.address(this.name), MQTT_PORT);
	}

	/** Starts the process without waiting. */
	void start(String... more) {
		this.starts++;
		this.killed = false;
		this.process = JavaProcess.of(StandaloneBroker.class)
			.withoutTests()
			.withClassPathEntries(this.classes.toArray(Path[]::new))
			.through(this.network.prefixOf(this.name))
			.environment(this.clocks.environment())
			.options("-Xmx256m", "-XX:+ExitOnOutOfMemoryError", "-XX:+HeapDumpOnOutOfMemoryError",
					"-XX:HeapDumpPath=" + this.logs.toAbsolutePath())
			.arguments("--host", "0.0.0.0", "--port", MQTT_PORT, "--anonymous", "all", "--data-directory",
					this.disk.directory().resolve("data"))
			.arguments(this.arguments.toArray())
			.arguments((Object[]) more)
			.start();
	}

	boolean isAlive() {
		return process().isAlive();
	}

	/** Returns whether the process was killed and not started again. */
	boolean isKilled() {
		return this.killed;
	}

	void pause() {
		process().pause();
	}

	void resume() {
		process().resume();
	}

	void kill() {
		this.killed = true;
		process().kill();
		saveLog();
	}

	/** Stops the process as Ctrl+C does, and waits for its end. */
	void stop() {
		process().terminate();
		process().awaitExit();
		saveLog();
	}

	private JavaProcess process() {
		return Objects.requireNonNull(this.process);
	}

	/** Saves the process's output. */
	void saveLog() {
		try {
			Files.createDirectories(this.logs);
			Files.writeString(this.logs.resolve(this.name + '-' + this.starts + ".log"),
					process().output() + process().errors());
		}
		catch (IOException ex) {
			System.err.println("Log of node " + this.name + " not saved: " + ex);
		}
	}

	/** Returns whether a client can connect. */
	boolean accepts() {
		try (RawMqttConnection connection = new RawMqttConnection(address(), TIMEOUT)) {
			connection.send(RawConnect.of("probe-" + this.name));
			return ((RawControl) connection.read(TIMEOUT)).reason() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** Returns whether the node reports that it is the leader. */
	boolean leads() {
		try {
			HttpURLConnection connection = (HttpURLConnection) URI
				.create("http://" + address().getAddress().getHostAddress() + ':' + READY_PORT + "/leaderz")
				.toURL()
				.openConnection();
			connection.setConnectTimeout((int) TIMEOUT.toMillis());
			connection.setReadTimeout((int) TIMEOUT.toMillis());
			try {
				return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
			}
			finally {
				connection.disconnect();
			}
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		if (this.process != null) {
			kill();
		}
		this.disk.close();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
