package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the embedded broker. Separate from {@link StateStoreProperties}, because
 * the broker is optional. A {@link StateStoreBrokerBuilderCustomizer} sets other options.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param enabled Whether to start a broker with a state store in this application and use
 * it instead of statestore.host and statestore.hosts. Requires
 * io.statestore:statestore-broker.
 * @param host Address that the embedded broker listens on.
 * @param port Port that the embedded broker listens on, or 0 to use any free port.
 * @param dataDirectory Directory where the embedded store keeps its data. Created if it
 * does not exist. By default, data is kept in memory and lost when the application stops.
 * @param fsync When the embedded store forces writes to disk: 'always' before it confirms
 * them, once per 'interval' of one second, or 'never'. Requires a data directory.
 * @param persist Which keys survive a restart: 'all', or only those that were set with a
 * request to persist them ('requested'). Requires a data directory.
 * @param history History of all changes
 * @param maxKeys Maximum number of keys in the embedded store. By default, derived from
 * the maximum heap size.
 * @param maxSize Maximum total size of the keys and values in the embedded store. By
 * default, derived from the maximum heap size.
 * @param anonymous Which clients can connect to the embedded broker without logging in:
 * 'none', 'loopback' for those on this machine, or 'all'. By default, 'none' if users can
 * log in, otherwise 'loopback'.
 * @param usersFile File that contains users and their hashed passwords, created by
 * statestore-server's 'passwd' command or by 'mosquitto_passwd'. Reloaded when it
 * changes. None by default.
 * @param certificateUsernameField Client certificate field that contains the user name:
 * 'common-name', 'subject', 'dns', 'uri', or 'email'. By default, certificates are not
 * used for logins.
 * @param rulesFile File that contains the rules for what each client is permitted to do.
 * Reloaded when it changes. By default, everything is permitted.
 * @param ssl TLS of the embedded broker
 * @param cluster The embedded broker as a node of a cluster
 */
@ConfigurationProperties("statestore.embedded")
record EmbeddedProperties(boolean enabled, @DefaultValue("localhost") String host, int port,
		@Nullable String dataDirectory, @Nullable Fsync fsync, @Nullable Persist persist, @DefaultValue History history,
		@Nullable Long maxKeys, @Nullable DataSize maxSize, @Nullable AnonymousAccess anonymous,
		@Nullable String usersFile, @Nullable CertificateUsernameField certificateUsernameField,
		@Nullable String rulesFile, @DefaultValue Ssl ssl, @DefaultValue Cluster cluster) {

	/**
	 * History of all changes.
	 *
	 * @param retention How long the embedded store keeps its history of changes, unless
	 * the history reaches its maximum size. Requires a data directory. By default, no
	 * history is kept. If only the size is set, changes are kept regardless of their age.
	 * @param size Maximum size of the embedded store's history of changes. Requires a
	 * data directory. By default, no history is kept. If only the retention is set, the
	 * size is not limited.
	 */
	public record History(@Nullable Duration retention, @Nullable DataSize size) {

	}

	/**
	 * TLS of the embedded broker.
	 *
	 * @param bundle Name of the SSL bundle that contains the embedded broker's
	 * certificate and its clients' certificate authorities. All connections are then
	 * encrypted. Bundle updates apply to new connections. By default, the broker uses
	 * plain TCP.
	 * @param clientAuth Whether clients need a certificate to connect to the embedded
	 * broker: 'none' to not request certificates, 'want' to accept clients with or
	 * without a certificate, or 'need' to require one. By default, 'none'.
	 */
	public record Ssl(@Nullable String bundle, @Nullable ClientAuth clientAuth) {

	}

	/**
	 * The embedded broker as a node of a cluster.
	 *
	 * @param node Name of this node. Makes the embedded broker a cluster node, which
	 * keeps its data in statestore.embedded.data-directory. Requires
	 * io.statestore:statestore-cluster. By default, the embedded broker is not part of a
	 * cluster.
	 * @param peers Names and addresses of all nodes, such as
	 * 'a=a.local:1885,b=b.local:1885,c=c.local:1885'. Must be the same on every node.
	 * Each node listens for the other nodes on its address. Required for a node.
	 * @param initialState What this node does if its directory is empty: 'new-cluster'
	 * creates a cluster together with all peers, 'join' waits until a running cluster
	 * adds this node, and 'existing' refuses to start.
	 * @param advertise Address where clients connect to this node, as 'host' or
	 * 'host:port'. When this node becomes the leader, clients of other nodes move to it
	 * if they list this address in statestore.hosts. By default, this node's host in
	 * statestore.embedded.cluster.peers and the port that it listens on for clients.
	 * @param electionTimeout How long the leader can be silent before another node
	 * replaces it, 750ms to 60s. Use at least five times the longest round trip between
	 * nodes, and the same value on every node.
	 * @param ssl TLS of the connections between nodes
	 */
	public record Cluster(@Nullable String node, @Nullable String peers,
			@DefaultValue("existing") InitialState initialState, @Nullable String advertise,
			@DefaultValue("750ms") Duration electionTimeout, @DefaultValue NodeSsl ssl) {

	}

	/**
	 * TLS of the connections between nodes.
	 *
	 * @param bundle Name of the SSL bundle that contains this node's certificate for its
	 * host, and a trust store that contains only the nodes' certificate authorities.
	 * Bundle updates apply to new connections. Required for a node.
	 */
	public record NodeSsl(@Nullable String bundle) {

	}

}
