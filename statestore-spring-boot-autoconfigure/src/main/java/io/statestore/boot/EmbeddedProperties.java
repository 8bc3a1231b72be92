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
 * @param enabled Whether to start a broker with a state store in this application, and
 * use it instead of statestore.host and statestore.hosts. Requires
 * io.statestore:statestore-broker.
 * @param host Address that the embedded broker listens on.
 * @param port Port that the embedded broker listens on, 0 for a free one.
 * @param dataDirectory Directory where the embedded store keeps its data. Created if it
 * does not exist. By default all data is in memory, and is lost when the application
 * ends.
 * @param fsync Time at which writes of the embedded store are forced to disk: 'always'
 * before they are confirmed, at each 'interval' of one second, or 'never'. Requires a
 * data directory.
 * @param persist Keys that survive a restart: 'all', or those 'requested' as persistent
 * by the client that set them. Requires a data directory.
 * @param history History of all changes
 * @param maxKeys Maximum number of keys in the embedded store. By default derived from
 * the maximum heap.
 * @param maxSize Maximum size of all keys and values in the embedded store. By default
 * derived from the maximum heap.
 * @param anonymous Clients that may connect to the embedded broker without a login:
 * 'none', 'loopback' for those on this machine, or 'all'. By default 'none' if users can
 * log in, otherwise 'loopback'.
 * @param usersFile File of users with hashed passwords, which the command 'passwd' of
 * statestore-server or 'mosquitto_passwd' creates. Read again after a change. None by
 * default.
 * @param certificateUsernameField Field of client certificates that contains the user
 * name: 'common-name', 'subject', 'dns', 'uri', or 'email'. By default, certificates are
 * not used for logins.
 * @param rulesFile File with the rules that decide what each client may do. Read again
 * after a change. By default, everything is permitted.
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
	 * @param retention Minimum time for which the embedded store keeps its changes,
	 * unless they reach the maximum size. Requires a data directory. By default no
	 * history is kept, or with a maximum size all changes.
	 * @param size Maximum size of the changes that the embedded store keeps. Requires a
	 * data directory. By default no history is kept, or with a retention any size.
	 */
	public record History(@Nullable Duration retention, @Nullable DataSize size) {

	}

	/**
	 * TLS of the embedded broker.
	 *
	 * @param bundle Name of the SSL bundle with the certificate of the embedded broker,
	 * and with the certificate authorities of its clients. Encrypts all connections. An
	 * update of the bundle applies to new connections. By default the broker uses plain
	 * TCP.
	 * @param clientAuth Whether clients of the embedded broker need a certificate:
	 * 'none', 'want' to accept clients without one, or 'need'. By default 'none'.
	 */
	public record Ssl(@Nullable String bundle, @Nullable ClientAuth clientAuth) {

	}

	/**
	 * The embedded broker as a node of a cluster.
	 *
	 * @param node Name of this node. Makes the embedded broker a node of a cluster, which
	 * keeps its data in statestore.embedded.data-directory. Requires
	 * io.statestore:statestore-cluster. By default the embedded broker is not a node of a
	 * cluster.
	 * @param peers Names and addresses of all nodes, the same on every node, such as
	 * 'a=a.local:1885,b=b.local:1885,c=c.local:1885'. Each node listens on its address
	 * for the others. Required for a node.
	 * @param initialState Action of this node if its directory is empty: 'new-cluster'
	 * creates a cluster together with all peers, 'join' waits until a running cluster
	 * adds this node, and 'existing' refuses to start.
	 * @param advertise Address under which clients connect to this node, as 'host' or
	 * 'host:port'. While it leads, clients of other nodes that list this address in
	 * statestore.hosts move to it. By default, its host in
	 * 'statestore.embedded.cluster.peers', and the port on which it listens for clients.
	 * @param electionTimeout Silence of the leader after which another node may replace
	 * it, 750ms to 60s. Five times the longest round trip between nodes, the same on
	 * every node.
	 * @param ssl TLS of the connections between nodes
	 */
	public record Cluster(@Nullable String node, @Nullable String peers,
			@DefaultValue("existing") InitialState initialState, @Nullable String advertise,
			@DefaultValue("750ms") Duration electionTimeout, @DefaultValue NodeSsl ssl) {

	}

	/**
	 * TLS of the connections between nodes.
	 *
	 * @param bundle Name of the SSL bundle with the certificate of this node for its
	 * host, and a trust store with the certificate authorities of the nodes only. An
	 * update of the bundle applies to new connections. Required for a node.
	 */
	public record NodeSsl(@Nullable String bundle) {

	}

}
