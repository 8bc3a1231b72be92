package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.cluster.ClusterOptions.Start;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the embedded broker as a node of a cluster. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 */
@ConfigurationProperties("statestore.embedded.cluster")
public class EmbeddedClusterProperties {

	/**
	 * Name of this node. Makes the embedded broker a node of a cluster, which keeps its
	 * data in statestore.embedded.directory. Requires io.statestore:statestore-cluster.
	 * By default the embedded broker is not a node of a cluster.
	 */
	private @Nullable String node;

	/**
	 * Names and addresses of all nodes, the same on every node, such as
	 * 'a=a.local:1885,b=b.local:1885,c=c.local:1885'. Each node listens on its address
	 * for the others. Required for a node.
	 */
	private @Nullable String peers;

	/**
	 * Action of this node if its directory is empty: 'new-cluster' creates a cluster
	 * together with all peers, 'join' waits until a running cluster adds this node, and
	 * 'existing' refuses to start.
	 */
	private Start start = Start.EXISTING;

	/**
	 * Address under which clients connect to this node, as 'host' or 'host:port'. While
	 * it leads, clients of other nodes that list this address in statestore.hosts move to
	 * it. By default, its host in 'statestore.embedded.cluster.peers', and the port on
	 * which it listens for clients.
	 */
	private @Nullable String advertise;

	/**
	 * TCP port on which this node answers GET and SCAN from its own copy of the store,
	 * which may be outdated, also without a leader. All other requests are refused there.
	 * 0 selects a free port. By default there is no such port.
	 */
	private @Nullable Integer stalePort;

	/**
	 * Silence of the leader after which another node may replace it, 750ms to 60s. Five
	 * times the longest round trip between nodes, the same on every node.
	 */
	private Duration electionTimeout = Duration.ofMillis(750);

	private final Ssl ssl = new Ssl();

	public @Nullable String getNode() {
		return this.node;
	}

	public void setNode(@Nullable String node) {
		this.node = node;
	}

	public @Nullable String getPeers() {
		return this.peers;
	}

	public void setPeers(@Nullable String peers) {
		this.peers = peers;
	}

	public Start getStart() {
		return this.start;
	}

	public void setStart(Start start) {
		this.start = start;
	}

	public @Nullable String getAdvertise() {
		return this.advertise;
	}

	public void setAdvertise(@Nullable String advertise) {
		this.advertise = advertise;
	}

	public @Nullable Integer getStalePort() {
		return this.stalePort;
	}

	public void setStalePort(@Nullable Integer stalePort) {
		this.stalePort = stalePort;
	}

	public Duration getElectionTimeout() {
		return this.electionTimeout;
	}

	public void setElectionTimeout(Duration electionTimeout) {
		this.electionTimeout = electionTimeout;
	}

	public Ssl getSsl() {
		return this.ssl;
	}

	/** TLS of the connections between nodes. */
	public static class Ssl {

		/**
		 * Name of the SSL bundle with the certificate of this node for its host, and a
		 * trust store with the certificate authorities of the nodes only. An update of
		 * the bundle applies to new connections. Required for a node.
		 */
		private @Nullable String bundle;

		public @Nullable String getBundle() {
			return this.bundle;
		}

		public void setBundle(@Nullable String bundle) {
			this.bundle = bundle;
		}

	}

}
