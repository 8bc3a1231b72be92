package io.statestore.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.UUID;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterProvider;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.server.Replica;

/** Service provider for the broker's consensus, implemented with JRaft. */
public final class RaftProvider implements ClusterProvider {

	/** Name of every cluster. Clusters are separated by their nodes' certificates. */
	private static final String CLUSTER = "statestore";

	private static final long SEGMENT_BYTES = 64L << 20;

	/** Creates a provider. Called by the service loader. */
	public RaftProvider() {
	}

	@Override
	public ClusterNode start(ClusterOptions options, Replica replica, NodeEvents events) {
		try {
			return RaftClusterNode.start(options, replica, events);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Node '" + options.node() + "' cannot start: " + ex.getMessage(), ex);
		}
	}

	static RaftNodeOptions options(ClusterOptions options) throws IOException {
		requireStart(options);
		NodeAddress address = options.address();
		InetSocketAddress listen = new InetSocketAddress(address.host(), address.port());
		if (listen.isUnresolved()) {
			throw new IOException("the name of its host '" + address.host()
					+ "' cannot be resolved. Correct --peers, or the name service of this machine");
		}
		return new RaftNodeOptions(CLUSTER, member(address), start(options), listen, options.directory(),
				options.certificates().open(), options.electionTimeout(), RaftNodeOptions.MAX_ENTRY_BYTES,
				SEGMENT_BYTES, RaftNodeOptions.SPARE_BYTES, RaftNodeOptions.MIN_SNAPSHOT_LOG_BYTES, options.history());
	}

	/** Requires that the directory's content fits the initial state option. */
	private static void requireStart(ClusterOptions options) throws IOException {
		// The node file is created first, and the vote file last. A start that failed in
		// between can be repeated.
		boolean used = Files.exists(options.directory().resolve(NodeDirectory.NODE));
		if (options.initialState() == InitialState.NEW_CLUSTER && used
				&& Files.exists(options.directory().resolve(NodeFiles.VOTE))) {
			throw new IOException("directory " + options.directory()
					+ " has the data of a node. Omit --new-cluster, which is for the first start only");
		}
		if (options.initialState() == InitialState.EXISTING && !used) {
			throw new IOException("directory " + options.directory()
					+ " has no data of a node. If all nodes are new, add --new-cluster on each. If this node has lost "
					+ "its data or replaces another one, add --join");
		}
	}

	private static NodeStart start(ClusterOptions options) {
		return new NodeStart(options.initialState(),
				options.peers().values().stream().map(RaftProvider::member).toList());
	}

	static UUID snapshotId() {
		return RaftNodeOptions.snapshotId(CLUSTER);
	}

	static Member member(NodeAddress address) {
		return new Member(address.host(), address.port());
	}

}
