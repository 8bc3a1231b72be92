package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Server that keeps data in a directory, with the client that calls it. Each server runs
 * in a process of its own. Our broker without a directory is the reference.
 */
enum DurableServer {

	/** Our broker, which forces each batch to the disk. */
	ALWAYS("ours, fsync=always"),

	/** Our broker, which forces its log to the disk once per second. */
	INTERVAL("ours, fsync=interval"),

	/** Our broker, which leaves writing to the operating system. */
	NEVER("ours, fsync=never"),

	/** Our broker without a directory. */
	MEMORY("ours, memory"),

	/** Redis with an append-only file, which is forced to the disk before each reply. */
	REDIS("Lettuce on Redis, appendfsync always"),

	/** A cluster of etcd with a single member. */
	ETCD("jetcd on etcd, one member");

	/** Name of the directory with the data of a server, in its directory. */
	static final String DATA = "data";

	/** Name of the file with the output of a server, in its directory. */
	static final String OUTPUT = "output.txt";

	private final String text;

	DurableServer(String text) {
		this.text = text;
	}

	boolean isInstalled() {
		return program() != null;
	}

	private @Nullable String program() {
		return switch (this) {
			case ALWAYS, INTERVAL, NEVER, MEMORY -> ServerProcess.java();
			case REDIS -> ServerProcess.find("redis-server");
			case ETCD -> ServerProcess.find("etcd");
		};
	}

	/**
	 * Starts the server, and waits until it listens.
	 * @param directory directory of its data and of its output
	 */
	ServerProcess start(Path directory) throws IOException, InterruptedException {
		String program = program();
		if (program == null) {
			throw new IOException("The program of '" + this + "' is not installed");
		}
		Files.createDirectories(directory);
		int port = ServerProcess.freePort();
		List<String> command = new ArrayList<>(List.of(program));
		command.addAll(arguments(String.valueOf(port), directory.resolve(DATA).toAbsolutePath()));
		return ServerProcess.start(port, directory.resolve(OUTPUT), command);
	}

	private List<String> arguments(String port, Path data) throws IOException {
		return switch (this) {
			case ALWAYS, INTERVAL, NEVER -> broker(port, "--data-directory", data.toString(), "--fsync", name());
			case MEMORY -> broker(port);
			case REDIS -> List.of("--port", port, "--bind", "127.0.0.1", "--dir",
					Files.createDirectories(data).toString(), "--save", "", "--appendonly", "yes", "--appendfsync",
					"always", "--auto-aof-rewrite-percentage", "0");
			case ETCD -> etcd("http://127.0.0.1:" + port, "http://127.0.0.1:" + ServerProcess.freePort(), data);
		};
	}

	private static List<String> broker(String port, String... options) {
		List<String> arguments = new ArrayList<>(List.of("-Xmx2g", "-cp", System.getProperty("java.class.path"),
				"io.statestore.broker.standalone.StandaloneBroker", "--port", port));
		arguments.addAll(List.of(options));
		return arguments;
	}

	private static List<String> etcd(String url, String peerUrl, Path data) {
		return List.of("--name", "only", "--data-dir", data.toString(), "--listen-client-urls", url,
				"--advertise-client-urls", url, "--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl,
				"--initial-cluster", "only=" + peerUrl, "--quota-backend-bytes", String.valueOf(8L << 30));
	}

	/** Connects a caller that sets keys in turn. */
	Caller connect(int port, int keys) {
		return switch (this) {
			case ALWAYS, INTERVAL, NEVER, MEMORY -> KeyCallers.ours(port, keys);
			case REDIS -> KeyCallers.lettuce(port, keys);
			case ETCD -> KeyCallers.jetcd(port, keys);
		};
	}

	@Override
	public String toString() {
		return this.text;
	}

}
