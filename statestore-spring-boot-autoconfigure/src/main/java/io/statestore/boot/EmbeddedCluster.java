package io.statestore.boot;

import java.nio.file.Path;
import java.util.Map;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.boot.internal.PropertyChecks;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.cluster.AdvertisedAddress;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.cluster.NodeCertificates;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/** Settings that make the embedded broker a cluster node. */
final class EmbeddedCluster {

	private static final String PREFIX = "statestore.embedded.cluster.";

	private static final String NODE = PREFIX + "node";

	private static final String INITIAL_STATE = PREFIX + "initial-state";

	private static final String BUNDLE = PREFIX + "ssl.bundle";

	private static final String DIRECTORY = "statestore.embedded.data-directory";

	private final ClusterOptions options;

	private EmbeddedCluster(ClusterOptions options) {
		this.options = options;
	}

	/**
	 * Creates the settings from properties.
	 * @param embedded broker properties
	 * @param sslBundles provides the bundle for connections between nodes
	 * @return the settings; {@code null} if the broker is not a cluster node
	 * @throws InvalidConfigurationPropertyValueException if a property is invalid or
	 * missing
	 * @throws org.springframework.boot.ssl.NoSuchSslBundleException if the node's SSL
	 * bundle does not exist
	 */
	static @Nullable EmbeddedCluster of(EmbeddedProperties embedded, ObjectProvider<SslBundles> sslBundles) {
		EmbeddedProperties.Cluster properties = embedded.cluster();
		String node = properties.node();
		if (!StringUtils.hasText(node)) {
			requireNode("peers", properties.peers());
			requireNode("ssl.bundle", properties.ssl().bundle());
			requireNode("advertise", properties.advertise());
			requireNode("initial-state",
					(properties.initialState() != InitialState.EXISTING) ? properties.initialState() : null);
			return null;
		}
		refuse("fsync", embedded.fsync());
		refuse("persist", embedded.persist());
		try {
			Map<String, NodeAddress> peers = ClusterOptions.parsePeers(require(PREFIX + "peers", properties.peers(),
					"A node needs the addresses of all nodes, such as a=a.local:1885,b=b.local:1885,c=c.local:1885"));
			Path directory = PropertyChecks.path(DIRECTORY,
					require(DIRECTORY, embedded.dataDirectory(),
							"A node of a cluster keeps its data in a directory of its own"),
					"Set it to the directory of this node");
			String bundle = require(BUNDLE, properties.ssl().bundle(),
					"The connections between nodes need a certificate for each node. Create an SSL bundle with the "
							+ "certificate of this node, and set the property to its name");
			ClusterOptions options = ClusterOptions
				.of(node, peers, directory, certificates(bundle, sslBundles.getObject()))
				.withInitialState(properties.initialState())
				.withElectionTimeout(properties.electionTimeout())
				.withHistory(EmbeddedStorage.history(embedded.history()));
			String advertise = properties.advertise();
			return new EmbeddedCluster(StringUtils.hasText(advertise)
					? options.withAdvertised(AdvertisedAddress.parse(advertise)) : options);
		}
		catch (InvalidOptionException ex) {
			throw OptionProperties.invalid(PREFIX, ex, "");
		}
	}

	private static void requireNode(String property, @Nullable Object value) {
		PropertyChecks.require(value == null, PREFIX + property, value,
				"It has no effect without the name of this node. Set '" + NODE + "' as well, or remove the property");
	}

	private static void refuse(String property, @Nullable Object value) {
		PropertyChecks.require(value == null, "statestore.embedded." + property, value,
				"A cluster writes all keys to the disks of a majority before it replies. Remove the property, or '"
						+ NODE + "'");
	}

	private static String require(String property, @Nullable String value, String reason) {
		if (!StringUtils.hasText(value)) {
			throw new InvalidConfigurationPropertyValueException(property, value,
					reason + ". Set the property, or remove '" + NODE + "'");
		}
		return value;
	}

	private static NodeCertificates certificates(String name, SslBundles bundles) {
		SslBundle bundle = OptionProperties.bundle(bundles, BUNDLE, name);
		PropertyChecks.require(bundle.getStores().getTrustStore() != null, BUNDLE, name,
				"The SSL bundle has no trust store, and the certificate authorities of the JVM would admit "
						+ "strangers. Add a trust store with the certificate authorities of the nodes");
		PropertyChecks.require(bundle.getStores().getKeyStore() != null, BUNDLE, name,
				"The SSL bundle has no key store. Add one with the certificate of this node and its key");
		return NodeCertificates.of(EmbeddedSsl.context(bundles, name, "New connections between nodes", (used) -> {
		}));
	}

	/**
	 * Adds the node's options to a builder.
	 * @param builder builder for the broker
	 */
	void apply(StateStoreBrokerBuilder builder) {
		builder.cluster(this.options);
	}

	/** Returns whether the consensus refused to start, rather than the broker. */
	static boolean isFailure(IllegalStateException failure) {
		String message = String.valueOf(failure.getMessage());
		return message.startsWith("Node '") || message.contains("statestore-cluster");
	}

	/** Creates an exception that says why the node cannot start. */
	InvalidConfigurationPropertyValueException invalid(IllegalStateException failure) {
		return PropertyChecks.invalid(NODE, this.options.node(), withProperties(String.valueOf(failure.getMessage())),
				failure);
	}

	/** Creates an exception that says why the node cannot use its directory. */
	InvalidConfigurationPropertyValueException invalidDirectory(RuntimeException failure) {
		return PropertyChecks.invalid(DIRECTORY, this.options.directory().toString(),
				withProperties(String.valueOf(failure.getMessage())), failure);
	}

	/** Replaces the standalone broker's options in a message with properties. */
	private static String withProperties(String message) {
		return message.replace("Omit --new-cluster", "Remove " + INITIAL_STATE + "=new-cluster")
			.replace("add --new-cluster", "set " + INITIAL_STATE + "=new-cluster")
			.replace("add --join", "set " + INITIAL_STATE + "=join")
			.replace("--peers", PREFIX + "peers");
	}

	@Override
	public String toString() {
		return "node '" + this.options.node() + "' of a cluster, data in " + this.options.directory();
	}

}
