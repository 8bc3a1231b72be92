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

/** Servers that scenarios share. Each server is started on first use. */
final class Servers implements AutoCloseable {

	static final Server STANDALONE = Server.broker("ours, standalone broker");

	static final Server MOSQUITTO = Server.mosquitto("Mosquitto", "");

	static final Server REDIS = Server.redis("Redis", false);

	/** Three etcd members, which trust each other without TLS. */
	static final Server ETCD = Server.etcd("jetcd on etcd",
			"0=http://127.0.0.1:{peer0},1=http://127.0.0.1:{peer1},2=http://127.0.0.1:{peer2}",
			new Store.Cluster(Store.NODES, List.of("--initial-cluster-state", "new"),
					List.of("--initial-cluster-state", "existing"), new Store.Status("port", "/health", "", "true"),
					new Store.Status("port", "/v3/maintenance/status", "{}",
							"\"member_id\":\"(\\d+)\".*\"leader\":\"\\1\"")));

	private final Resources running = new Resources();

	private final Map<String, Integer> ports = new HashMap<>();

	private final Map<String, Store> stores = new HashMap<>();

	/** Directory for the files of all servers. */
	final Path directory;

	/** Executable JAR of an earlier standalone broker; {@code null} for none. */
	final @Nullable String earlier;

	final Certificates certificates;

	Servers(@Nullable String earlier) throws IOException {
		// In the build directory, because /tmp may be in memory.
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

	/** Returns the port of a server in a separate process. */
	int port(Server server) throws Exception {
		return store(server).port(0);
	}

	/** Returns a server's store. In a cluster, all keys are already set. */
	Store store(Server server) throws Exception {
		Store store = this.stores.get(server.name());
		if (store == null) {
			store = this.running.add(new Store(server, directory(server.name())));
			this.stores.put(server.name(), store);
			if (server.cluster() != Store.Cluster.NONE) {
				try (Caller caller = store.connect(Calls.SETS, store.leader())) {
					Measures.make(caller, Calls.SETS.keys(), Measures.IN_FLIGHT);
				}
			}
		}
		return store;
	}

	/** Connects a server's client. The server runs in a separate process. */
	Caller connect(Server server, Calls calls) throws Exception {
		return store(server).connect(calls, 0);
	}

	Path directory(String name) {
		return this.directory.resolve(name.replaceAll("[^a-zA-Z0-9]+", "-"));
	}

	/** Returns the port of Mosquitto, with our gateway in this process. */
	int gateway() throws Exception {
		int port = port(MOSQUITTO);
		if (this.ports.putIfAbsent("gateway", port) == null) {
			this.running.add(StateStoreGateway.builder().host("127.0.0.1").port(port).start());
		}
		return port;
	}

	/** Returns three nodes of this build. */
	Server nodes(String name, String... options) throws IOException {
		return Server.nodes(name, Server.executable(), this.certificates, options);
	}

	/** Flushes all data that processes have written to the operating system to disk. */
	static void sync() throws IOException, InterruptedException {
		new ProcessBuilder("sync").start().waitFor();
	}

	@Override
	public void close() throws Exception {
		this.running.close();
	}

}
