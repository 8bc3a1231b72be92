package io.statestore.boot;

import java.time.Duration;
import java.util.List;

import io.statestore.client.mqtt.Transport;
import io.statestore.client.mqtt.DisconnectedBehavior;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the state store client. */
@ConfigurationProperties("statestore")
public class StateStoreProperties {

	/**
	 * Host of the MQTT broker.
	 */
	private @Nullable String host;

	/**
	 * Port of the MQTT broker. By default 1883, or 8883 with TLS.
	 */
	private @Nullable Integer port;

	/**
	 * Hosts that serve the same store, such as the nodes of a cluster, each as host or
	 * host:port, instead of statestore.host and statestore.port. One is used at a time,
	 * and the next one if it fails. None by default.
	 */
	private List<String> hosts = List.of();

	/**
	 * MQTT client id, unique among all clients of the broker. Random by default.
	 */
	private @Nullable String clientId;

	/**
	 * User name for the broker. None by default.
	 */
	private @Nullable String username;

	/**
	 * Password for the broker. None by default.
	 */
	private @Nullable String password;

	/**
	 * File with the password for the broker in its first line, instead of
	 * statestore.password. Read for every connection. None by default.
	 */
	// Not a Path, which Spring would search for on the class path first.
	private @Nullable String passwordFile;

	/**
	 * File with the service account token for the broker, which is sent with the
	 * authentication method K8S-SAT. Read for every connection. If its content changes,
	 * the client authenticates again without reconnecting. None by default.
	 */
	// Not a Path, which Spring would search for on the class path first.
	private @Nullable String serviceAccountTokenFile;

	/**
	 * Timeout of one attempt to connect. With several hosts, the first attempt at each
	 * has at most 2s, which doubles each time the host does not answer.
	 */
	private Duration connectTimeout = Duration.ofSeconds(10);

	/**
	 * Maximum time that startup waits for the first connection. After it, the application
	 * starts and the client keeps connecting.
	 */
	private Duration startTimeout = Duration.ofSeconds(3);

	/**
	 * Timeout of calls to the store. Includes the time they wait for a connection.
	 */
	private Duration requestTimeout = Duration.ofSeconds(10);

	/**
	 * Inactivity after which the connection is checked with a ping, in whole seconds.
	 * Zero disables the check.
	 */
	private Duration keepAlive = Duration.ofSeconds(60);

	/**
	 * Maximum number of requests in flight. Further requests wait.
	 */
	private int maxInFlight = 1024;

	/**
	 * Maximum number of calls waiting to be sent or for a reply. Further calls fail at
	 * once. Calls that keep locks are counted separately.
	 */
	private int maxPending = 10_000;

	/**
	 * Maximum size of the calls waiting to be sent or for a reply. Further calls fail at
	 * once. By default an eighth of the maximum heap, at least 16MB.
	 */
	private @Nullable DataSize maxPendingSize;

	/**
	 * Behavior of calls while disconnected: 'wait' for a connection until they time out,
	 * or 'fail' at once.
	 */
	private DisconnectedBehavior disconnectedBehavior = DisconnectedBehavior.WAIT;

	/**
	 * MQTT library of the connection. 'hivemq' requires com.hivemq:hivemq-mqtt-client on
	 * the class path.
	 */
	private Transport transport = Transport.PAHO;

	/**
	 * Prefix of all keys of this application in the store, including those of listeners,
	 * locks, and leader roles. Empty by default.
	 */
	private String keyPrefix = "";

	/**
	 * Expiry of values that are stored without one, at least 1ms. Does not apply to
	 * writes with a fencing token or to locks. None by default.
	 */
	private @Nullable Duration defaultExpiry;

	private final Ssl ssl = new Ssl();

	private final Reconnect reconnect = new Reconnect();

	private final Listener listener = new Listener();

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public @Nullable Duration getDefaultExpiry() {
		return this.defaultExpiry;
	}

	public void setDefaultExpiry(@Nullable Duration defaultExpiry) {
		this.defaultExpiry = defaultExpiry;
	}

	public String getHost() {
		return (this.host != null) ? this.host : "localhost";
	}

	public void setHost(String host) {
		this.host = host;
	}

	/** Returns whether a host is set. */
	boolean hasHost() {
		return this.host != null;
	}

	public List<String> getHosts() {
		return this.hosts;
	}

	public void setHosts(List<String> hosts) {
		this.hosts = hosts;
	}

	public @Nullable Integer getPort() {
		return this.port;
	}

	public void setPort(@Nullable Integer port) {
		this.port = port;
	}

	public @Nullable String getClientId() {
		return this.clientId;
	}

	public void setClientId(@Nullable String clientId) {
		this.clientId = clientId;
	}

	public @Nullable String getUsername() {
		return this.username;
	}

	public void setUsername(@Nullable String username) {
		this.username = username;
	}

	public @Nullable String getPassword() {
		return this.password;
	}

	public void setPassword(@Nullable String password) {
		this.password = password;
	}

	public @Nullable String getPasswordFile() {
		return this.passwordFile;
	}

	public void setPasswordFile(@Nullable String passwordFile) {
		this.passwordFile = passwordFile;
	}

	public @Nullable String getServiceAccountTokenFile() {
		return this.serviceAccountTokenFile;
	}

	public void setServiceAccountTokenFile(@Nullable String serviceAccountTokenFile) {
		this.serviceAccountTokenFile = serviceAccountTokenFile;
	}

	public Duration getConnectTimeout() {
		return this.connectTimeout;
	}

	public void setConnectTimeout(Duration connectTimeout) {
		this.connectTimeout = connectTimeout;
	}

	public Duration getStartTimeout() {
		return this.startTimeout;
	}

	public void setStartTimeout(Duration startTimeout) {
		this.startTimeout = startTimeout;
	}

	public Duration getRequestTimeout() {
		return this.requestTimeout;
	}

	public void setRequestTimeout(Duration requestTimeout) {
		this.requestTimeout = requestTimeout;
	}

	public Duration getKeepAlive() {
		return this.keepAlive;
	}

	public void setKeepAlive(Duration keepAlive) {
		this.keepAlive = keepAlive;
	}

	public Transport getTransport() {
		return this.transport;
	}

	public void setTransport(Transport transport) {
		this.transport = transport;
	}

	public int getMaxInFlight() {
		return this.maxInFlight;
	}

	public void setMaxInFlight(int maxInFlight) {
		this.maxInFlight = maxInFlight;
	}

	public int getMaxPending() {
		return this.maxPending;
	}

	public void setMaxPending(int maxPending) {
		this.maxPending = maxPending;
	}

	public @Nullable DataSize getMaxPendingSize() {
		return this.maxPendingSize;
	}

	public void setMaxPendingSize(@Nullable DataSize maxPendingSize) {
		this.maxPendingSize = maxPendingSize;
	}

	public DisconnectedBehavior getDisconnectedBehavior() {
		return this.disconnectedBehavior;
	}

	public void setDisconnectedBehavior(DisconnectedBehavior disconnectedBehavior) {
		this.disconnectedBehavior = disconnectedBehavior;
	}

	public Ssl getSsl() {
		return this.ssl;
	}

	public Reconnect getReconnect() {
		return this.reconnect;
	}

	public Listener getListener() {
		return this.listener;
	}

	/** Properties of TLS to the broker. */
	public static class Ssl {

		/**
		 * Whether to use TLS. Enabled by default if an SSL bundle is set.
		 */
		private @Nullable Boolean enabled;

		/**
		 * Name of the SSL bundle with the trusted certificates and the client's own. By
		 * default the certificates that the JVM trusts are used.
		 */
		private @Nullable String bundle;

		public boolean isEnabled() {
			return (this.enabled != null) ? this.enabled : this.bundle != null;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public @Nullable String getBundle() {
			return this.bundle;
		}

		public void setBundle(@Nullable String bundle) {
			this.bundle = bundle;
		}

	}

	/** Properties of the delays between attempts to connect. */
	public static class Reconnect {

		/**
		 * Delay before the first attempt to reconnect. It doubles with every failed
		 * attempt. A random part of up to half is subtracted from each delay. Several
		 * hosts are tried one after the other without a delay between them.
		 */
		private Duration initialDelay = Duration.ofMillis(100);

		/**
		 * Maximum delay between two attempts to connect.
		 */
		private Duration maxDelay = Duration.ofSeconds(1);

		public Duration getInitialDelay() {
			return this.initialDelay;
		}

		public void setInitialDelay(Duration initialDelay) {
			this.initialDelay = initialDelay;
		}

		public Duration getMaxDelay() {
			return this.maxDelay;
		}

		public void setMaxDelay(Duration maxDelay) {
			this.maxDelay = maxDelay;
		}

	}

	/** Properties of listeners. */
	public static class Listener {

		/**
		 * Maximum number of changes to a key that can be queued for a listener. Beyond
		 * it, only the latest change is delivered.
		 */
		private int queueCapacity = 256;

		/**
		 * Maximum size of the changes to a key that can be queued for a listener. Beyond
		 * it, only the latest change is delivered.
		 */
		private DataSize queueSize = DataSize.ofMegabytes(16);

		/**
		 * Interval between renewals of watches, for servers that drop watches without a
		 * renewal.
		 */
		private Duration renewal = Duration.ofMinutes(3);

		public DataSize getQueueSize() {
			return this.queueSize;
		}

		public void setQueueSize(DataSize queueSize) {
			this.queueSize = queueSize;
		}

		public int getQueueCapacity() {
			return this.queueCapacity;
		}

		public void setQueueCapacity(int queueCapacity) {
			this.queueCapacity = queueCapacity;
		}

		public Duration getRenewal() {
			return this.renewal;
		}

		public void setRenewal(Duration renewal) {
			this.renewal = renewal;
		}

	}

}
