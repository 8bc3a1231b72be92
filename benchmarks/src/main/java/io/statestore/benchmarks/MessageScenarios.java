package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/** Ordinary messages of our standalone broker, an earlier build, and Mosquitto. */
final class MessageScenarios implements AutoCloseable {

	private static final String OURS = "ours";

	private static final String THREE_NODES = "ours, three nodes";

	private static final String EARLIER = "earlier build";

	private static final String MOSQUITTO = "Mosquitto";

	private final Map<String, ServerProcess> running = new TreeMap<>();

	private @Nullable StateStoreNodes nodes;

	private final Path directory;

	private final @Nullable Path earlier;

	private final PlantKeys keys;

	/**
	 * Creates scenarios.
	 * @param directory an existing directory on a disk
	 * @param earlier executable JAR of an earlier standalone broker, {@code null} for
	 * none
	 */
	MessageScenarios(Path directory, @Nullable Path earlier) throws IOException, InterruptedException {
		this.directory = directory;
		this.earlier = earlier;
		this.keys = PlantKeys.create(directory.resolve("keys"));
	}

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (int qos : new int[] { 0, 1 }) {
			for (int subscribers : new int[] { 1, 10, 100 }) {
				scenarios.add(scenario("QoS " + qos + ", 100 B, to " + subscribers + " subscribers", "", subscribers,
						qos, false));
			}
			scenarios.add(scenario("QoS " + qos + ", 100 B, to 1 subscriber over TLS", "tls", 1, qos, false));
		}
		scenarios.add(scenario("QoS 1, 100 B, to 1 persistent subscriber, with a directory", "data", 1, 1, true));
		return scenarios;
	}

	private Scenario scenario(String name, String options, int subscribers, int qos, boolean persistent) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		if (persistent) {
			implementations.add(() -> implementation(THREE_NODES, options, subscribers, qos, true));
		}
		for (String server : List.of(OURS, EARLIER, MOSQUITTO)) {
			if (server.equals(OURS) || server.equals(EARLIER) && this.earlier != null
					|| server.equals(MOSQUITTO) && ServerProcess.find("mosquitto") != null) {
				implementations.add(() -> implementation(server, options, subscribers, qos, persistent));
			}
		}
		return new Scenario(name, "1/s", implementations);
	}

	private Implementation implementation(String server, String options, int subscribers, int qos, boolean persistent)
			throws IOException, InterruptedException {
		int port = port(server, options);
		SocketFactory sockets = options.equals("tls") ? this.keys.context(null).getSocketFactory()
				: SocketFactory.getDefault();
		MessageLoad load = new MessageLoad(sockets, port, subscribers, qos, persistent);
		return new Implementation() {

			@Override
			public String name() {
				return server;
			}

			@Override
			public double measure() throws Exception {
				return load.measure();
			}

			@Override
			public void close() throws Exception {
				load.close();
			}

		};
	}

	private int port(String server, String options) throws IOException, InterruptedException {
		if (server.equals(THREE_NODES)) {
			StateStoreNodes nodes = this.nodes;
			if (nodes == null) {
				nodes = new StateStoreNodes(this.directory.resolve("nodes").toAbsolutePath());
				this.nodes = nodes;
				nodes.start();
			}
			return nodes.port(nodes.leader());
		}
		String key = server + ' ' + options;
		ServerProcess process = this.running.get(key);
		if (process == null) {
			int port = ServerProcess.freePort();
			Path data = Files.createDirectories(this.directory.resolve(key.replace(' ', '-')));
			process = ServerProcess.start(port, null,
					server.equals(MOSQUITTO) ? mosquitto(port, options, data) : ours(server, port, options, data));
			this.running.put(key, process);
		}
		return process.port();
	}

	private List<String> ours(String server, int port, String options, Path data) {
		List<String> command = new ArrayList<>(List.of(ServerProcess.java(), "-Xmx512m"));
		if (server.equals(OURS)) {
			command.addAll(List.of("-cp", System.getProperty("java.class.path"),
					"io.statestore.broker.standalone.StandaloneBroker"));
		}
		else {
			command.addAll(List.of("-jar", String.valueOf(this.earlier)));
		}
		command.addAll(List.of("--port", String.valueOf(port)));
		switch (options) {
			case "data" -> command.addAll(List.of("--data-directory", data.resolve("store").toString()));
			case "tls" -> command
				.addAll(List.of("--tls-cert", this.keys.certificate("server"), "--tls-key", this.keys.key("server")));
			default -> {
				// Nothing else
			}
		}
		return command;
	}

	private List<String> mosquitto(int port, String options, Path data) throws IOException {
		String configuration = "listener " + port + " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
				+ "max_inflight_messages 0\nmax_queued_messages 0\nuser root\n";
		if (options.equals("tls")) {
			configuration += "certfile " + this.keys.certificate("server") + "\nkeyfile " + this.keys.key("server")
					+ '\n';
		}
		// It writes its file every half an hour, and at its end.
		configuration += options.equals("data") ? "persistence true\npersistence_location " + data + "/\n" : "";
		Path file = Files.writeString(data.resolve("mosquitto.conf"), configuration);
		return List.of(String.valueOf(ServerProcess.find("mosquitto")), "-c", file.toString());
	}

	@Override
	public void close() throws InterruptedException {
		if (this.nodes != null) {
			this.nodes.close();
		}
		for (ServerProcess process : this.running.values()) {
			process.close();
		}
	}

}
