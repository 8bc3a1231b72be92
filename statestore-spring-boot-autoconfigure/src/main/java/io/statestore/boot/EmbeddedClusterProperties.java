package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the embedded broker as a node of a cluster. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 *
 * @param node Name of this node. Makes the embedded broker a node of a cluster, which
 * keeps its data in statestore.embedded.data-directory. Requires
 * io.statestore:statestore-cluster. By default the embedded broker is not a node of a
 * cluster.
 * @param peers Names and addresses of all nodes, the same on every node, such as
 * 'a=a.local:1885,b=b.local:1885,c=c.local:1885'. Each node listens on its address for
 * the others. Required for a node.
 * @param initialState Action of this node if its directory is empty: 'new-cluster'
 * creates a cluster together with all peers, 'join' waits until a running cluster adds
 * this node, and 'existing' refuses to start.
 * @param advertise Address under which clients connect to this node, as 'host' or
 * 'host:port'. While it leads, clients of other nodes that list this address in
 * statestore.hosts move to it. By default, its host in
 * 'statestore.embedded.cluster.peers', and the port on which it listens for clients.
 * @param electionTimeout Silence of the leader after which another node may replace it,
 * 750ms to 60s. Five times the longest round trip between nodes, the same on every node.
 * @param ssl TLS of the connections between nodes
 */
@ConfigurationProperties("statestore.embedded.cluster")
public record EmbeddedClusterProperties(@Nullable String node, @Nullable String peers,
		@DefaultValue("existing") InitialState initialState, @Nullable String advertise,
		@DefaultValue("750ms") Duration electionTimeout, @DefaultValue Ssl ssl) {

	/**
	 * TLS of the connections between nodes.
	 *
	 * @param bundle Name of the SSL bundle with the certificate of this node for its
	 * host, and a trust store with the certificate authorities of the nodes only. An
	 * update of the bundle applies to new connections. Required for a node.
	 */
	public record Ssl(@Nullable String bundle) {

	}

}
