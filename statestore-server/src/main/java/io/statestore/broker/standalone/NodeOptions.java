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
			description = "Name of this node, one of --peers; makes it a node of a cluster (default: no cluster)")
	private @Nullable String node;

	@Option(names = "--peers", paramLabel = "<name=host:port,...>",
			description = "All nodes, this one included, with the host and port on which each listens for the others, "
					+ "such as a=a.local:1885,b=b.local:1885,c=c.local:1885. The same on every node")
	private @Nullable String peers;

	@Option(names = "--node-cert", paramLabel = "<file>",
			description = "PEM file with the certificate of this node for its host in --peers. 'certs --node' creates "
					+ "one for a trial")
	private @Nullable Path certificate;

	@Option(names = "--node-key", paramLabel = "<file>",
			description = "PEM file with the private key of --node-cert, in PKCS #8")
	private @Nullable Path key;

	@Option(names = "--node-ca", paramLabel = "<file>",
			description = "PEM file with the certificate authorities of the nodes. A certificate of a node admits to "
					+ "the cluster, so use authorities that issue no others, or trust those who get one")
	private @Nullable Path authorities;

	@Option(names = "--new-cluster",
			description = "Create the cluster: only for the first start of all its nodes, with empty directories")
	private boolean newCluster;

	@Option(names = "--join",
			description = "Wait until a running cluster adds this node: only for its first start, with an empty directory")
	private boolean join;

	@Option(names = "--election-timeout", paramLabel = "<time>", converter = DurationConverter.class,
			description = "Silence of the leader after which another node may replace it, 750ms to 60s (default: "
					+ "750ms, for round trips between nodes of up to 150 ms). Five times the longest round trip. The "
					+ "same on every node")
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
