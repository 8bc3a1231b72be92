package io.statestore.boot;

import java.time.Duration;
import java.util.List;

import io.statestore.client.mqtt.DisconnectedBehavior;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the state store client. A {@link ConnectionOptionsBuilderCustomizer} sets
 * other options of the connection.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param host Host of the MQTT broker.
 * @param port Port of the MQTT broker. By default 1883, or 8883 with TLS.
 * @param hosts Hosts that serve the same store, such as the nodes of a cluster, each as
 * host or host:port, instead of statestore.host and statestore.port. One is used at a
 * time, and the next one if it fails. None by default.
 * @param clientId MQTT client id, unique among all clients of the broker. Random by
 * default.
 * @param username User name for the broker. None by default.
 * @param password Password for the broker. None by default.
 * @param passwordFile File with the password for the broker in its first line, instead of
 * statestore.password. Read for every connection. None by default.
 * @param serviceAccountTokenFile File with the service account token for the broker,
 * which is sent with the authentication method K8S-SAT. Read for every connection. If its
 * content changes, the client authenticates again without reconnecting. None by default.
 * @param connectTimeout Timeout of one attempt to connect. With several hosts, the first
 * attempt at each has at most 2s, which doubles each time the host does not answer.
 * @param startTimeout Maximum time that startup waits for the first connection. After it,
 * the application starts and the client keeps connecting.
 * @param requestTimeout Timeout of calls to the store. Includes the time they wait for a
 * connection.
 * @param keepAlive Inactivity after which the connection is checked with a ping, in whole
 * seconds. Zero disables the check.
 * @param maxInFlight Maximum number of requests in flight. Further requests wait.
 * @param maxPending Maximum number of calls waiting to be sent or for a reply. Further
 * calls fail immediately. Calls that keep locks are counted separately.
 * @param disconnectedBehavior Behavior of calls while disconnected: 'wait' for a
 * connection until they time out, or 'fail' immediately.
 * @param keyPrefix Prefix of all keys of this application in the store, including those
 * of listeners, locks, and leader roles. Empty by default.
 * @param defaultExpiry Expiry of values that are stored without one, at least 1ms. Does
 * not apply to writes with a fencing token or to locks. None by default.
 * @param ssl TLS to the broker
 * @param reconnect Delays between attempts to connect
 * @param listener Listeners
 */
@ConfigurationProperties("statestore")
record StateStoreProperties(@Nullable String host, @Nullable Integer port, @DefaultValue List<String> hosts,
		@Nullable String clientId, @Nullable String username, @Nullable String password, @Nullable String passwordFile,
		@Nullable String serviceAccountTokenFile, @DefaultValue("10s") Duration connectTimeout,
		@DefaultValue("3s") Duration startTimeout, @DefaultValue("10s") Duration requestTimeout,
		@DefaultValue("60s") Duration keepAlive, @DefaultValue("1024") int maxInFlight,
		@DefaultValue("10000") int maxPending, @DefaultValue("wait") DisconnectedBehavior disconnectedBehavior,
		@DefaultValue("") String keyPrefix, @Nullable Duration defaultExpiry, @DefaultValue Ssl ssl,
		@DefaultValue Reconnect reconnect, @DefaultValue Listener listener) {

	/**
	 * TLS to the broker.
	 *
	 * @param enabled Whether to use TLS. Enabled by default if an SSL bundle is set.
	 * @param bundle Name of the SSL bundle with the trusted certificates and the client's
	 * own. By default the certificates that the JVM trusts are used.
	 */
	public record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

		boolean isEnabled() {
			return (this.enabled != null) ? this.enabled : this.bundle != null;
		}

	}

	/**
	 * Delays between attempts to connect.
	 *
	 * @param maxDelay Maximum delay between two attempts to connect. It starts with 100ms
	 * or less, and doubles with every failed attempt. A random part of up to half is
	 * subtracted from each delay. Several hosts are tried one after the other without a
	 * delay between them.
	 */
	public record Reconnect(@DefaultValue("1s") Duration maxDelay) {

	}

	/**
	 * Listeners.
	 *
	 * @param queueCapacity Maximum number of changes to a key that can be queued for a
	 * listener. Beyond it, only the latest change is delivered.
	 * @param queueSize Maximum size of the changes to a key that can be queued for a
	 * listener. Beyond it, only the latest change is delivered.
	 * @param renewal Interval between renewals of watches, for servers that drop watches
	 * without a renewal.
	 */
	public record Listener(@DefaultValue("256") int queueCapacity, @DefaultValue("16MB") DataSize queueSize,
			@DefaultValue("3m") Duration renewal) {

	}

}
