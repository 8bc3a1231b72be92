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
 * @param hosts Hosts of the same store, such as the nodes of a cluster, each as host or
 * host:port. Replaces statestore.host and statestore.port. The client uses one host at a
 * time, and tries the next if it fails. None by default.
 * @param clientId MQTT client ID. Must be unique among the broker's clients. Random by
 * default.
 * @param username User name for the broker. None by default.
 * @param password Password for the broker. None by default.
 * @param passwordFile File that contains the password for the broker in its first line,
 * as an alternative to statestore.password. Read for every connection. None by default.
 * @param serviceAccountTokenFile File that contains a service account token for the
 * broker. The client sends it with the K8S-SAT authentication method. Read for every
 * connection. If the content changes, the client authenticates again without
 * reconnecting. None by default.
 * @param connectTimeout Timeout of a connection attempt. With several hosts, the timeout
 * of the first attempt for each host is at most 2s, and doubles each time that host does
 * not answer.
 * @param startTimeout How long startup waits for the first connection. Afterward, the
 * application starts anyway, and the client keeps trying to connect.
 * @param requestTimeout Timeout of calls to the store, including the time spent waiting
 * for a connection.
 * @param keepAlive Period without traffic after which the client checks the connection
 * with a ping, in whole seconds. Zero disables the check.
 * @param maxInFlight Maximum number of requests in flight. Additional requests wait.
 * @param maxPending Maximum number of calls that wait to be sent or to be answered.
 * Additional calls fail immediately. Calls that maintain locks are counted separately.
 * @param disconnectedBehavior Behavior of calls while the client is disconnected: 'wait'
 * for a connection until the request timeout, or 'fail' immediately.
 * @param keyPrefix Prefix of all keys that this application uses, including those of
 * listeners, locks, and leader roles. Empty by default.
 * @param defaultExpiry Default expiry of values, at least 1ms. Does not apply to writes
 * with a fencing token or to locks. By default, values do not expire.
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
	 * @param bundle Name of the SSL bundle that contains the trusted certificates and any
	 * client certificate. By default, the client uses the JVM's trusted certificates.
	 */
	public record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

		boolean isEnabled() {
			return (this.enabled != null) ? this.enabled : this.bundle != null;
		}

	}

	/**
	 * Delays between attempts to connect.
	 *
	 * @param maxDelay Maximum delay between two connection attempts. The delay starts at
	 * 100ms or less and doubles with each failed attempt. Each delay is randomly reduced
	 * by up to half. If there are several hosts, the client tries each of them before it
	 * waits.
	 */
	public record Reconnect(@DefaultValue("1s") Duration maxDelay) {

	}

	/**
	 * Listeners.
	 *
	 * @param queueCapacity Maximum number of changes per key that can be queued for a
	 * listener. If the queue is full, only the latest change is delivered.
	 * @param queueSize Maximum total size of the changes per key that can be queued for a
	 * listener. If the queue is full, only the latest change is delivered.
	 * @param renewal How often watches are renewed, for servers that drop watches that
	 * are not renewed.
	 */
	public record Listener(@DefaultValue("256") int queueCapacity, @DefaultValue("16MB") DataSize queueSize,
			@DefaultValue("3m") Duration renewal) {

	}

}
