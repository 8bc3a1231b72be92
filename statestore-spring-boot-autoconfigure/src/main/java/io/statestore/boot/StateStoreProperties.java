package io.statestore.boot;

import java.nio.file.Path;
import java.time.Duration;

import io.statestore.client.mqtt.Transport;
import io.statestore.client.mqtt.WhenDisconnected;
import io.statestore.protocol.WireForm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the state store client. */
@ConfigurationProperties("statestore")
public class StateStoreProperties {

	/**
	 * Host of the MQTT broker that the state store is reached through.
	 */
	private String host = "localhost";

	/**
	 * Port of the MQTT broker. 1883 by default, 8883 with TLS.
	 */
	private @Nullable Integer port;

	/**
	 * MQTT client id, unique among all clients of the broker. Random by default.
	 */
	private @Nullable String clientId;

	/**
	 * User to log in with.
	 */
	private @Nullable String username;

	/**
	 * Password to log in with.
	 */
	private @Nullable String password;

	/**
	 * File with the service account token to log in with, for Azure IoT Operations. Read
	 * again for every connection.
	 */
	private @Nullable Path serviceAccountTokenFile;

	/**
	 * Maximum time of one attempt to connect.
	 */
	private Duration connectTimeout = Duration.ofSeconds(10);

	/**
	 * Maximum time that the start of the application waits for the first connection. The
	 * application starts without one, and keeps connecting.
	 */
	private Duration startTimeout = Duration.ofSeconds(3);

	/**
	 * Timeout of calls to the store, including the time they wait for a lost connection.
	 */
	private Duration requestTimeout = Duration.ofSeconds(10);

	/**
	 * Longest silence on the connection before it is checked, in whole seconds.
	 */
	private Duration keepAlive = Duration.ofSeconds(60);

	/**
	 * Maximum number of requests in flight. Further requests wait.
	 */
	private int maxInFlight = 1024;

	/**
	 * Maximum number of calls that wait for room, a connection or a reply. Further calls
	 * fail at once. Calls that keep locks count apart.
	 */
	private int maxPending = 10_000;

	/**
	 * Maximum size of the requests that wait for room, a connection or a reply. Further
	 * calls fail at once. By default an eighth of the maximum heap, at least 16 MB.
	 */
	private @Nullable DataSize maxPendingSize;

	/**
	 * Behavior of calls without a connection: 'wait' for it until their timeout, or
	 * 'fail' at once.
	 */
	private WhenDisconnected whenDisconnected = WhenDisconnected.WAIT;

	/**
	 * MQTT library of the connection. 'hivemq' needs com.hivemq:hivemq-mqtt-client on the
	 * class path.
	 */
	private Transport transport = Transport.PAHO;

	private final Ssl ssl = new Ssl();

	private final Reconnect reconnect = new Reconnect();

	private final Listener listener = new Listener();

	private final Embedded embedded = new Embedded();

	public String getHost() {
		return this.host;
	}

	public void setHost(String host) {
		this.host = host;
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

	public @Nullable Path getServiceAccountTokenFile() {
		return this.serviceAccountTokenFile;
	}

	public void setServiceAccountTokenFile(@Nullable Path serviceAccountTokenFile) {
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

	public WhenDisconnected getWhenDisconnected() {
		return this.whenDisconnected;
	}

	public void setWhenDisconnected(WhenDisconnected whenDisconnected) {
		this.whenDisconnected = whenDisconnected;
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

	public Embedded getEmbedded() {
		return this.embedded;
	}

	/** TLS to the broker. */
	public static class Ssl {

		/**
		 * Whether to use TLS. On by default where a bundle is named.
		 */
		private @Nullable Boolean enabled;

		/**
		 * Name of the SSL bundle (spring.ssl.bundle.*) with the trusted certificates and
		 * the client's own. The certificates the JVM trusts by default.
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

	/** Delays between attempts to connect. */
	public static class Reconnect {

		/**
		 * Delay after the first failed attempt, or after the loss of a connection. It
		 * doubles with each further attempt, less up to half of it at random.
		 */
		private Duration initialDelay = Duration.ofMillis(100);

		/**
		 * Maximum delay between two attempts.
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

	/** Listeners to changes of keys. */
	public static class Listener {

		/**
		 * Most changes that wait for one listener of one key; beyond, only the latest is
		 * delivered.
		 */
		private int queueCapacity = 256;

		/**
		 * Maximum size of the changes of one key that wait for a listener. Beyond it the
		 * listener receives the latest change only.
		 */
		private DataSize queueSize = DataSize.ofMegabytes(16);

		/**
		 * How often observations are renewed, for servers that forget them.
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

	/** The broker inside this application, for laptops and tests. */
	public static class Embedded {

		/**
		 * Whether to start a broker with a state store inside this application and use it
		 * instead of statestore.host. Needs io.statestore:statestore-broker.
		 */
		private boolean enabled;

		/**
		 * Address the embedded broker listens on.
		 */
		private String host = "localhost";

		/**
		 * Port the embedded broker listens on, 0 for a free one.
		 */
		private int port;

		/**
		 * Maximum number of keys in the embedded store. By default one for each 2 KB of
		 * the maximum heap.
		 */
		private @Nullable Long maxKeys;

		/**
		 * Maximum size of all keys and values in the embedded store. By default a quarter
		 * of the maximum heap.
		 */
		private @Nullable DataSize maxSize;

		/**
		 * Maximum memory that all clients of the embedded broker hold together. By
		 * default a quarter of the maximum heap.
		 */
		private @Nullable DataSize clientMemory;

		/**
		 * Maximum memory that one client of the embedded broker holds. By default a
		 * quarter of the memory of all clients.
		 */
		private @Nullable DataSize memoryPerClient;

		/**
		 * Maximum memory of the replies that the embedded store keeps for repeated
		 * requests. By default a sixteenth of the maximum heap.
		 */
		private @Nullable DataSize replyMemory;

		/**
		 * Maximum size of an MQTT packet that the embedded broker accepts. By default
		 * 16MB, or the memory of one client if that is less.
		 */
		private @Nullable DataSize maxPacketSize;

		/**
		 * Maximum size of a CONNECT packet that the embedded broker accepts. By default
		 * 64KB.
		 */
		private @Nullable DataSize maxConnectSize;

		/**
		 * Maximum size of all properties of one MQTT packet that the embedded broker
		 * accepts. By default 64KB.
		 */
		private @Nullable DataSize maxPropertiesSize;

		/**
		 * Form of the replies: as official clients expect them, or to the letter of the
		 * published articles.
		 */
		private WireForm wireForm = WireForm.PRACTICE;

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public String getHost() {
			return this.host;
		}

		public void setHost(String host) {
			this.host = host;
		}

		public int getPort() {
			return this.port;
		}

		public void setPort(int port) {
			this.port = port;
		}

		public @Nullable DataSize getClientMemory() {
			return this.clientMemory;
		}

		public void setClientMemory(@Nullable DataSize clientMemory) {
			this.clientMemory = clientMemory;
		}

		public @Nullable DataSize getMemoryPerClient() {
			return this.memoryPerClient;
		}

		public void setMemoryPerClient(@Nullable DataSize memoryPerClient) {
			this.memoryPerClient = memoryPerClient;
		}

		public @Nullable DataSize getReplyMemory() {
			return this.replyMemory;
		}

		public void setReplyMemory(@Nullable DataSize replyMemory) {
			this.replyMemory = replyMemory;
		}

		public @Nullable DataSize getMaxPacketSize() {
			return this.maxPacketSize;
		}

		public void setMaxPacketSize(@Nullable DataSize maxPacketSize) {
			this.maxPacketSize = maxPacketSize;
		}

		public @Nullable DataSize getMaxConnectSize() {
			return this.maxConnectSize;
		}

		public void setMaxConnectSize(@Nullable DataSize maxConnectSize) {
			this.maxConnectSize = maxConnectSize;
		}

		public @Nullable DataSize getMaxPropertiesSize() {
			return this.maxPropertiesSize;
		}

		public void setMaxPropertiesSize(@Nullable DataSize maxPropertiesSize) {
			this.maxPropertiesSize = maxPropertiesSize;
		}

		public @Nullable Long getMaxKeys() {
			return this.maxKeys;
		}

		public void setMaxKeys(@Nullable Long maxKeys) {
			this.maxKeys = maxKeys;
		}

		public @Nullable DataSize getMaxSize() {
			return this.maxSize;
		}

		public void setMaxSize(@Nullable DataSize maxSize) {
			this.maxSize = maxSize;
		}

		public WireForm getWireForm() {
			return this.wireForm;
		}

		public void setWireForm(WireForm wireForm) {
			this.wireForm = wireForm;
		}

	}

}
