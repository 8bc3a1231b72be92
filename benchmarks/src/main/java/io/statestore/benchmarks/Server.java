package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.test.JavaProcess;
import io.statestore.test.Programs;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingBiFunction;

/**
 * A server to start in separate processes, and its client. Arguments and configuration
 * may contain placeholders: {@code {node}} stands for a node's number, {@code {port}},
 * {@code {peer}}, and {@code {health}} for its ports for clients, other nodes, and status
 * requests, {@code {directory}} for the directory with its files, and {@code {peer0}} for
 * the peer port of node 0.
 *
 * @param name name in the report
 * @param program path of the program, or {@code null} if it is not installed
 * @param configuration content of the file {@code {directory}/configuration}
 * @param arguments program arguments
 * @param client connects the client to some nodes
 * @param cluster how the processes form one store
 */
record Server(String name, @Nullable Path program, String configuration, List<String> arguments,
		ThrowingBiFunction<Calls, List<Integer>, Caller> client, Store.Cluster cluster) {

	/** Subdirectory with the data. */
	static final String DATA = "{directory}/data";

	private static final Path BUILD = Path.of("statestore-server/target");

	private static final String URL = "http://127.0.0.1:{port}";

	private static final String PEER_URL = "http://127.0.0.1:{peer}";

	/** Returns our standalone broker. */
	static Server broker(String name, String... options) {
		return jvm("-Xmx2g", "-cp", System.getProperty("java.class.path"),
				"io.statestore.broker.standalone.StandaloneBroker")
			.with(name, options);
	}

	/** Returns a copy with another name and additional arguments. */
	Server with(String name, String... more) {
		return new Server(name, this.program, this.configuration,
				Stream.concat(this.arguments.stream(), Stream.of(more)).toList(), this.client, this.cluster);
	}

	/** Returns the standalone broker in an executable JAR. */
	static Server packaged(String name, String jar, String... options) {
		return jvm("-Xmx1g", "-jar", jar).with(name, options);
	}

	private static Server jvm(String... start) {
		return new Server("", Path.of(System.getProperty("java.home"), "bin", "java"), "", List.of(start), Calls::ours,
				Store.Cluster.NONE)
			.with("", "--port", "{port}");
	}

	/** Returns three nodes from an executable JAR, which use mutual TLS. */
	static Server nodes(String name, String jar, Certificates certificates, String... options) {
		List<String> more = List.of(options);
		Store.Cluster cluster = new Store.Cluster(Store.NODES,
				Stream.concat(Stream.of("--new-cluster"), more.stream()).toList(), more,
				new Store.Status("health", "/readyz", "", "."), new Store.Status("health", "/leaderz", "", "."));
		Server node = packaged(name, jar, "--node", "{node}", "--peers",
				"0=localhost:{peer0},1=localhost:{peer1},2=localhost:{peer2}", "--data-directory", DATA, "--node-cert",
				certificates.certificate("node"), "--node-key", certificates.key("node"), "--node-ca",
				certificates.certificate("ca"), "--ready-port", "{health}");
		return new Server(name, node.program, "", node.arguments, node.client, cluster);
	}

	/**
	 * Returns a builder for a process that runs a class of this module, with the
	 * optimizing compiler enabled.
	 */
	static JavaProcess.Builder java(Class<?> program) {
		return JavaProcess.of(program).options("-XX:TieredStopAtLevel=4", "-Xmx512m");
	}

	/** Returns the path of this build's executable JAR. */
	static String executable() throws IOException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(BUILD, "*-exec.jar")) {
			return files.iterator().next().toString();
		}
	}

	/** Returns Redis, with or without an append-only file that it forces to disk. */
	static Server redis(String name, boolean append) {
		return new Server(name, find("redis-server"), "",
				List.of("--port", "{port}", "--bind", "127.0.0.1", "--dir", DATA, "--save", "", "--appendonly",
						append ? "yes" : "no", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"),
				(calls, ports) -> calls.lettuce(ports.get(0)), Store.Cluster.NONE);
	}

	/**
	 * Returns an etcd server.
	 * @param members names and addresses of all members of its cluster
	 */
	static Server etcd(String name, String members, Store.Cluster cluster) {
		return new Server(name, find("etcd"), "",
				List.of("--name", "{node}", "--data-dir", DATA, "--listen-client-urls", URL, "--advertise-client-urls",
						URL, "--listen-peer-urls", PEER_URL, "--initial-advertise-peer-urls", PEER_URL,
						"--initial-cluster", members, "--quota-backend-bytes", String.valueOf(8L << 30)),
				Calls::jetcd, cluster);
	}

	/** Returns Mosquitto with additional configuration lines. */
	static Server mosquitto(String name, String configuration) {
		return new Server(name, find("mosquitto"),
				"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_inflight_messages 0\n"
						+ "max_queued_messages 0\nuser root\n" + configuration,
				List.of("-c", "{directory}/configuration"), Calls::ours, Store.Cluster.NONE);
	}

	private static @Nullable Path find(String program) {
		return Programs.find(program).orElse(null);
	}

}
