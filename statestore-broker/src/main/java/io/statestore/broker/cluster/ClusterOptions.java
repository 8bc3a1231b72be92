package io.statestore.broker.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.statestore.broker.security.PemFiles;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Cluster node options. Immutable. Create them with {@link #of}.
 *
 * @param node name of this node, one of the peers
 * @param peers addresses of all nodes by name, the same on every node
 * @param directory this node's directory, created if it does not exist. Only one node may
 * use it
 * @param certificates this node's certificate, which must be valid for its host, the
 * certificate's key, and the nodes' certificate authorities
 * @param initialState what this node does if its directory is empty
 * @param advertised address at which clients can connect to this node, {@code null} to
 * use its host from the list of peers
 * @param electionTimeout how long the leader may be silent before another node may
 * replace it, 0.75 to 60 seconds
 * @param history how much history to keep, or {@code null} to keep none
 */
public record ClusterOptions(String node, Map<String, NodeAddress> peers, Path directory, NodeCertificates certificates,
		InitialState initialState, @Nullable AdvertisedAddress advertised, Duration electionTimeout,
		@Nullable HistoryRetention history) {

	/** Default and minimum for {@link #electionTimeout()}. */
	public static final Duration ELECTION_TIMEOUT = Duration.ofMillis(750);

	private static final Duration MAX_ELECTION_TIMEOUT = Duration.ofSeconds(60);

	private static final int MAX_NODES = 9;

	/**
	 * Creates options.
	 * @throws InvalidOptionException if the node is not one of the peers, two peers have
	 * the same address, there are too many, or the election timeout is out of range
	 */
	public ClusterOptions {
		Objects.requireNonNull(directory, "'directory' must not be null");
		peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
		if (peers.isEmpty() || peers.size() > MAX_NODES || new HashSet<>(peers.values()).size() < peers.size()) {
			throw new InvalidOptionException("peers", text(peers),
					"must be 1 to " + MAX_NODES + " nodes with different addresses, usually 3 or 5");
		}
		if (!peers.containsKey(node)) {
			throw new InvalidOptionException("node", node, "must be the name of one of the peers: "
					+ peers.keySet().stream().collect(Collectors.joining(", ")));
		}
		if (electionTimeout.compareTo(ELECTION_TIMEOUT) < 0 || electionTimeout.compareTo(MAX_ELECTION_TIMEOUT) > 0) {
			throw new InvalidOptionException("electionTimeout", electionTimeout,
					"must be 750ms to 60s: five times the longest round trip between nodes, or the default");
		}
	}

	/**
	 * Returns options for a node that has been started before.
	 * @param node name of this node, one of the peers
	 * @param peers addresses of all nodes by name, the same on every node
	 * @param directory this node's directory
	 * @param certificates this node's certificate and key, and the nodes' certificate
	 * authorities
	 * @return new options
	 * @throws InvalidOptionException if the node is not one of the peers, two peers have
	 * the same address, there are too many, or a file is missing
	 */
	public static ClusterOptions of(String node, Map<String, NodeAddress> peers, Path directory,
			PemFiles certificates) {
		return of(node, peers, directory, NodeCertificates.of(certificates));
	}

	/**
	 * Returns options for a node that has been started before.
	 * @param node name of this node, one of the peers
	 * @param peers addresses of all nodes by name, the same on every node
	 * @param directory this node's directory
	 * @param certificates this node's certificate and key, and the nodes' certificate
	 * authorities
	 * @return new options
	 * @throws InvalidOptionException if the node is not one of the peers, two peers have
	 * the same address, or there are too many
	 */
	public static ClusterOptions of(String node, Map<String, NodeAddress> peers, Path directory,
			NodeCertificates certificates) {
		return new ClusterOptions(node, peers, directory, certificates, InitialState.EXISTING, null, ELECTION_TIMEOUT,
				null);
	}

	/**
	 * Parses a list of peers.
	 * @param text names and addresses, such as {@code a=a.local:1885,b=b.local:1885}
	 * @return the addresses by name, in the same order
	 * @throws InvalidOptionException if the text is not such a list
	 */
	public static Map<String, NodeAddress> parsePeers(String text) {
		Map<String, NodeAddress> peers = new LinkedHashMap<>();
		for (String peer : text.split(",", -1)) {
			int equal = peer.indexOf('=');
			String name = peer.substring(0, Math.max(equal, 0)).strip();
			try {
				if (name.isEmpty() || peers.put(name, NodeAddress.parse(peer.substring(equal + 1))) != null) {
					throw new IllegalArgumentException("no name, or a name that exists");
				}
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidOptionException("peers", text,
						"must be name=host:port for each node, with different names, such as "
								+ "a=a.local:1885,b=b.local:1885,c=c.local:1885");
			}
		}
		return peers;
	}

	private static String text(Map<String, NodeAddress> peers) {
		return peers.entrySet()
			.stream()
			.map((peer) -> peer.getKey() + '=' + peer.getValue())
			.collect(Collectors.joining(","));
	}

	/**
	 * Returns a copy for a node's first start.
	 * @param initialState what this node does if its directory is empty
	 * @return new options
	 */
	public ClusterOptions withInitialState(InitialState initialState) {
		return new ClusterOptions(this.node, this.peers, this.directory, this.certificates, initialState,
				this.advertised, this.electionTimeout, this.history);
	}

	/**
	 * Returns a copy with a different address for clients. While this node leads, it
	 * announces the address to clients that other nodes forward, so that they can connect
	 * to it directly.
	 * @param advertised address at which clients can connect to this node
	 * @return new options
	 */
	public ClusterOptions withAdvertised(AdvertisedAddress advertised) {
		return new ClusterOptions(this.node, this.peers, this.directory, this.certificates, this.initialState,
				advertised, this.electionTimeout, this.history);
	}

	/**
	 * Returns a copy with a different election timeout, for nodes with long round-trip
	 * times. A leader must hear from a majority several times within the timeout. Use the
	 * same value on every node.
	 * @param electionTimeout the timeout, 0.75 to 60 seconds. Five times the longest
	 * round-trip time is sufficient
	 * @return new options
	 * @throws InvalidOptionException if the timeout is out of range
	 */
	public ClusterOptions withElectionTimeout(Duration electionTimeout) {
		return new ClusterOptions(this.node, this.peers, this.directory, this.certificates, this.initialState,
				this.advertised, electionTimeout, this.history);
	}

	/**
	 * Returns a copy that keeps a history of all changes in the node's directory. Use the
	 * same value on every node, because the leader answers requests for the history.
	 * @param history how much history to keep, or {@code null} to keep none
	 * @return new options
	 */
	public ClusterOptions withHistory(@Nullable HistoryRetention history) {
		return new ClusterOptions(this.node, this.peers, this.directory, this.certificates, this.initialState,
				this.advertised, this.electionTimeout, history);
	}

	/**
	 * Returns the address at which clients can connect to this node.
	 * @param port the port on which the node listens for clients
	 * @return {@code host:port}
	 */
	public String addressForClients(int port) {
		AdvertisedAddress advertised = this.advertised;
		return ((advertised != null) ? advertised : new AdvertisedAddress(address().host(), 0)).reference(port);
	}

	/**
	 * Returns this node's address.
	 * @return the address on which the node listens for other nodes
	 */
	public NodeAddress address() {
		return Objects.requireNonNull(this.peers.get(this.node));
	}

	/**
	 * What a node does if its directory is empty. A node that has lost its directory has
	 * forgotten its votes and must not vote again in the same cluster, so an empty
	 * directory requires an explicit decision.
	 */
	public enum InitialState {

		/** The node fails to start. */
		EXISTING,

		/** The node creates a new cluster together with all peers. */
		NEW_CLUSTER,

		/** The node waits until a running cluster adds it. */
		JOIN

	}

}
