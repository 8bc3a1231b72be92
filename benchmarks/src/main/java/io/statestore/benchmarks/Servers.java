package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.gateway.StateStoreGateway;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/** Servers that scenarios share. Each one is started on first use. */
final class Servers implements AutoCloseable {

	static final Server STANDALONE = Server.broker("ours, standalone broker");

	static final Server MOSQUITTO = Server.mosquitto("Mosquitto", "");

	static final Server REDIS = Server.redis("Redis", false);

	private final Resources running = new Resources();

	private final Map<String, Integer> ports = new HashMap<>();

	private final Map<String, ThreeNodes> clusters = new HashMap<>();

	/** Directory of the files of all servers. */
	final Path directory;

	/** Executable JAR of an earlier standalone broker, {@code null} for none. */
	final @Nullable String earlier;

	final Certificates certificates;

	Servers(@Nullable String earlier) throws IOException {
		// In the directory of the build, because /tmp may be in memory
		Path parent = Files.createDirectories(Path.of("benchmarks/target"));
		this.directory = Files.createTempDirectory(parent, "servers").toAbsolutePath();
		this.running.add(() -> FileSystemUtils.deleteRecursively(this.directory));
		this.earlier = earlier;
		this.certificates = Certificates.create(Files.createDirectories(this.directory.resolve("certificates")));
	}

	/** Returns the port of our broker in this process. */
	int embedded() {
		return embedded("embedded", (builder) -> builder);
	}

	int embedded(String name, UnaryOperator<StateStoreBrokerBuilder> options) {
		return this.ports.computeIfAbsent(name,
				(key) -> this.running.add(options.apply(StateStoreBroker.builder()).start()).port());
	}

	/** Returns the port of a server in a process of its own. */
	int port(Server server) throws IOException, InterruptedException {
		Integer port = this.ports.get(server.name());
		if (port == null) {
			port = this.running.add(server.start(directory(server.name()))).port();
			this.ports.put(server.name(), port);
		}
		return port;
	}

	Path directory(String name) {
		return this.directory.resolve(name.replaceAll("[^a-zA-Z0-9]+", "-"));
	}

	/** Returns the port of Mosquitto, with our gateway in this process. */
	int gateway() throws IOException, InterruptedException {
		int port = port(MOSQUITTO);
		this.ports.computeIfAbsent("gateway", (key) -> {
			this.running.add(StateStoreGateway.builder().host("127.0.0.1").port(port).start());
			return port;
		});
		return port;
	}

	/** Returns three nodes of this build. */
	ThreeNodes.Kind nodes(String name, String... options) throws IOException {
		return ThreeNodes.ours(name, Server.executable(), this.certificates, options);
	}

	/** Returns running nodes, in which all keys are set. */
	ThreeNodes nodes(ThreeNodes.Kind kind) throws Exception {
		ThreeNodes nodes = this.clusters.get(kind.name());
		if (nodes == null) {
			nodes = this.running.add(new ThreeNodes(kind, directory("nodes " + kind.name())));
			this.clusters.put(kind.name(), nodes);
			try (Caller caller = nodes.connect(Calls.SETS, nodes.leader())) {
				Measures.make(caller, Calls.SETS.keys(), Measures.IN_FLIGHT);
			}
		}
		return nodes;
	}

	/** Connects the client of a server. */
	Caller connect(Server server, Calls calls) throws Exception {
		return server.client().connect(calls, List.of(port(server)));
	}

	/** Writes everything to the disk that processes have left to the system. */
	static void sync() throws IOException, InterruptedException {
		new ProcessBuilder("sync").start().waitFor();
	}

	@Override
	public void close() throws Exception {
		this.running.close();
	}

}
