package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.security.PemFiles;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for a cluster node. */
final class NodeOptions {

	@Option(names = "--node", paramLabel = "<name>",
			description = "Name of this node, which is one of --peers. Makes this broker a cluster node (default: no "
					+ "cluster)")
	private @Nullable String node;

	@Option(names = "--peers", paramLabel = "<name=host:port,...>",
			description = "All nodes, including this node, each with the host and port that it listens on for other "
					+ "nodes, such as a=a.local:1885,b=b.local:1885,c=c.local:1885. The same on every node")
	private @Nullable String peers;

	@Option(names = "--node-cert", paramLabel = "<file>",
			description = "PEM file with this node's certificate for its host in --peers. 'certs --node' creates a "
					+ "certificate for a trial")
	private @Nullable Path certificate;

	@Option(names = "--node-key", paramLabel = "<file>",
			description = "PEM file with the private key of --node-cert, in PKCS #8")
	private @Nullable Path key;

	@Option(names = "--node-ca", paramLabel = "<file>",
			description = "PEM file with the nodes' certificate authorities. Anyone with such a certificate can join "
					+ "the cluster, so use authorities that issue certificates only to nodes, or trust every holder")
	private @Nullable Path authorities;

	@Option(names = "--new-cluster",
			description = "Create a cluster. Use it only for the first start of all nodes, with empty directories")
	private boolean newCluster;

	@Option(names = "--join",
			description = "Wait until a running cluster adds this node. Use it only for the node's first start, with "
					+ "an empty directory")
	private boolean join;

	@Option(names = "--election-timeout", paramLabel = "<time>", converter = DurationConverter.class,
			description = "How long the leader can be silent before another node replaces it, 750ms to 60s (default: "
					+ "750ms, for round trips of up to 150 ms between nodes). Use at least five times the longest "
					+ "round trip, and the same value on every node")
	private @Nullable Duration electionTimeout;

	boolean isEnabled() {
		return this.node != null;
	}

	/**
	 * Passes the options to a builder.
	 * @param data options for the data directory
	 * @param storage builder method that receives the options for a single server's
	 * directory
	 * @param cluster builder method that receives a node's options
	 * @throws InvalidOptionException if a value is invalid
	 * @throws IllegalArgumentException if an option is missing or has no effect
	 */
	void apply(DataOptions data, Function<StorageOptions, ?> storage, Function<ClusterOptions, ?> cluster) {
		if (this.node == null) {
			requireNode("--peers", this.peers, "--node-cert", this.certificate, "--node-key", this.key, "--node-ca",
					this.authorities, "--new-cluster", this.newCluster ? true : null, "--join", this.join ? true : null,
					"--election-timeout", this.electionTimeout);
			data.apply(storage);
			return;
		}
		if (this.peers == null) {
			throw new IllegalArgumentException(
					"--node requires all nodes; add --peers a=host:port,b=host:port,c=host:port");
		}
		PemFiles files = PemFiles.of(required("--node-cert", this.certificate), required("--node-key", this.key))
			.withAuthorities(required("--node-ca", this.authorities));
		if (this.newCluster && this.join) {
			throw new IllegalArgumentException("--new-cluster and --join exclude each other; use --new-cluster if all "
					+ "nodes are new, --join to replace or add a node, and neither when a node starts again");
		}
		cluster.apply(ClusterOptions.of(this.node, ClusterOptions.parsePeers(this.peers), data.directoryOfNode(), files)
			.withInitialState(this.newCluster ? InitialState.NEW_CLUSTER
					: (this.join ? InitialState.JOIN : InitialState.EXISTING))
			.withElectionTimeout(
					(this.electionTimeout != null) ? this.electionTimeout : ClusterOptions.ELECTION_TIMEOUT)
			.withHistory(data.history()));
	}

	private static Path required(String option, @Nullable Path file) {
		if (file == null) {
			throw new IllegalArgumentException("--node requires certificates for the connections between nodes; add "
					+ option + " <file>. 'certs --node' creates them for a trial");
		}
		return file;
	}

	/**
	 * Verifies that an option that only nodes have is not set for a single server.
	 * @throws IllegalArgumentException if the option is set but has no effect
	 */
	void verify(String option, @Nullable Object value) {
		if (this.node == null) {
			requireNode(option, value);
		}
	}

	private static void requireNode(@Nullable Object... options) {
		ServerCommand.refuse("""
				%1$s requires the name of this node; add --node <name>, or omit %1$s for a broker without a \
				cluster""", options);
	}

}
