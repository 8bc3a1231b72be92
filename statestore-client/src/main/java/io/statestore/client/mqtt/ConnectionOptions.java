package io.statestore.client.mqtt;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import io.statestore.protocol.InvalidOptionException;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of the broker and options of the connection. Immutable; see
 * {@link #builder()}.
 *
 * @param hosts hosts that serve the same store, such as the nodes of a cluster, of which
 * the connection uses one at a time; by default {@code localhost} with port 1883, with
 * TLS 8883
 * @param clientId the MQTT client id, which is part of every response topic; by default
 * {@code statestore-} and eight random hexadecimal digits
 * @param username user name for the broker, or {@code null} for none
 * @param password supplier of the password for the broker, or {@code null} for none.
 * Called for every connection, so that passwords can change
 * @param tls supplier of the TLS settings, or {@code null} for plain TCP. Called for
 * every connection, so that certificates can change
 * @param authentication MQTT 5 enhanced authentication, or {@code null} for none
 * @param connectTimeout timeout of one attempt to connect, 1 ms to 24 h, 10 s by default.
 * With several hosts, the first attempt at each has at most 2 s, which doubles each time
 * the host does not answer
 * @param startTimeout maximum time that the start of the application waits for the first
 * connection, 0 to 24 h, 3 s by default
 * @param requestTimeout timeout of calls without a timeout of their own, 1 ms to 24 h, 10
 * s by default
 * @param keepAlive inactivity after which the client sends PINGREQ, in whole seconds, 60
 * s by default, 0 for never. An unresponsive broker is detected after at most twice this
 * time
 * @param reconnectInitialDelay delay before the first attempt to reconnect, 1 ms to 24 h,
 * 100 ms by default. It doubles with every failed attempt. With several hosts, it begins
 * once all have failed, and doubles with every failed round
 * @param reconnectMaxDelay maximum delay between attempts, up to 24 h, 1 s by default
 * @param maxInFlight maximum number of requests in flight, 1 to 65000, 1024 by default.
 * The broker may allow fewer
 * @param maxPending maximum number of calls waiting to be sent or for a reply, 10,000 by
 * default. Calls that keep locks are counted separately
 * @param maxPendingSize maximum size of the calls waiting to be sent or for a reply, in
 * bytes, without calls that keep locks. By default an eighth of the maximum heap, at
 * least 16 MiB. A larger call is accepted while no other call is pending
 * @param disconnectedBehavior behavior of calls while disconnected,
 * {@link DisconnectedBehavior#WAIT} by default
 */
public record ConnectionOptions(List<BrokerAddress> hosts, String clientId, @Nullable String username,
		@Nullable Supplier<String> password, @Nullable Supplier<Tls> tls,
		@Nullable EnhancedAuthentication authentication, Duration connectTimeout, Duration startTimeout,
		Duration requestTimeout, Duration keepAlive, Duration reconnectInitialDelay, Duration reconnectMaxDelay,
		int maxInFlight, int maxPending, long maxPendingSize, DisconnectedBehavior disconnectedBehavior) {

	/** Leaves some of the 65,535 packet identifiers of MQTT to subscriptions. */
	private static final int MAX_IN_FLIGHT = 65_000;

	/** Lower limit of the default of {@code maxPendingSize}. */
	private static final long MIN_PENDING_SIZE = 16 * 1024 * 1024;

	private static final int MAX_CLIENT_ID_LENGTH = 256;

	private static final Duration DAY = Duration.ofDays(1);

	/**
	 * Creates options.
	 * @throws InvalidOptionException if an option is invalid
	 */
	public ConnectionOptions {
		hosts = HostList.unique(hosts);
		requireClientId(clientId);
		if (password != null && username == null) {
			throw new InvalidOptionException("username", null, "must be set, because a password is set");
		}
		requireRange("connectTimeout", connectTimeout, Duration.ofMillis(1), DAY);
		requireRange("startTimeout", startTimeout, Duration.ZERO, DAY);
		requireRange("requestTimeout", requestTimeout, Duration.ofMillis(1), DAY);
		requireRange("keepAlive", keepAlive, Duration.ZERO, Duration.ofSeconds(65_535));
		require(keepAlive.toNanosPart() == 0, "keepAlive", keepAlive, "a whole number of seconds");
		requireRange("reconnectInitialDelay", reconnectInitialDelay, Duration.ofMillis(1), DAY);
		requireRange("reconnectMaxDelay", reconnectMaxDelay, reconnectInitialDelay, DAY);
		requireRange("maxInFlight", maxInFlight, 1, MAX_IN_FLIGHT);
		requireRange("maxPending", maxPending, 1, Integer.MAX_VALUE);
		require(maxPendingSize >= 1, "maxPendingSize", maxPendingSize, "at least 1 byte");
	}

	/**
	 * Returns a builder with default options.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns a copy with a different client id.
	 * @param clientId the MQTT client id of another connection to the same broker
	 * @return new options
	 * @throws InvalidOptionException if the client id is invalid
	 */
	public ConnectionOptions withClientId(String clientId) {
		return new ConnectionOptions(this.hosts, clientId, this.username, this.password, this.tls, this.authentication,
				this.connectTimeout, this.startTimeout, this.requestTimeout, this.keepAlive, this.reconnectInitialDelay,
				this.reconnectMaxDelay, this.maxInFlight, this.maxPending, this.maxPendingSize,
				this.disconnectedBehavior);
	}

	/**
	 * Returns the addresses of the broker as shown in logs and messages.
	 * @return a URL such as {@code mqtts://broker.example:8883} or
	 * {@code mqtt://broker-1:1883,broker-2:1883}
	 */
	public String url() {
		return scheme() + String.join(",", this.hosts.stream().map(BrokerAddress::toString).toList());
	}

	/**
	 * Returns the address of one of the hosts as shown in logs and messages.
	 * @param host the host
	 * @return a URL such as {@code mqtts://broker.example:8883}
	 */
	public String url(BrokerAddress host) {
		return scheme() + host;
	}

	private String scheme() {
		return (this.tls != null) ? "mqtts://" : "mqtt://";
	}

	/**
	 * Returns the addresses of the broker and the client id, without secrets.
	 * @return a short description
	 */
	@Override
	public String toString() {
		return "ConnectionOptions[" + url() + ", clientId=" + this.clientId + ']';
	}

	private static void requireClientId(String clientId) {
		boolean allowed = clientId.chars().noneMatch((c) -> Character.isISOControl(c) || c == '+' || c == '#')
				&& clientId.codePoints().noneMatch((c) -> Character.getType(c) == Character.SURROGATE);
		require(!clientId.isEmpty() && clientId.length() <= MAX_CLIENT_ID_LENGTH && allowed, "clientId", clientId,
				"1 to " + MAX_CLIENT_ID_LENGTH + " characters without '+', '#', and control characters");
		require(Topics.isResponseTopicAllowed("clients/" + clientId), "clientId", clientId,
				"different from the topics of the state store, with at most 120 slashes");
	}

	private static void requireRange(String option, int value, int min, int max) {
		require(value >= min && value <= max, option, value, min + " to " + max);
	}

	private static void requireRange(String option, Duration value, Duration min, Duration max) {
		require(value.compareTo(min) >= 0 && value.compareTo(max) <= 0, option, value, min + " to " + max);
	}

	private static void require(boolean valid, String option, Object value, String range) {
		if (!valid) {
			throw new InvalidOptionException(option, value, "must be " + range);
		}
	}

	/**
	 * TLS settings of a connection.
	 *
	 * @param context context with the trusted certificates and the client's own
	 * @param verifyHostname whether the certificate of the broker must name the host.
	 * Disable it in tests only
	 * @param keys source of the client's own certificates in the context, or {@code null}
	 * for none or an unknown one. The advice after a refused login depends on it
	 */
	public record Tls(SSLContext context, boolean verifyHostname, @Nullable KeyManagerFactory keys) {

		/**
		 * Creates settings that verify the host name.
		 * @param context context with the trusted certificates and the client's own
		 */
		public Tls(SSLContext context) {
			this(context, true, null);
		}

	}

	/**
	 * MQTT 5 enhanced authentication in one step.
	 * <p>
	 * If the data changes while connected, the client authenticates again without ending
	 * the connection. If the broker refuses that, or does not answer within the
	 * {@link ConnectionOptions#connectTimeout()}, the client reconnects with the new
	 * data.
	 *
	 * @param method name of the authentication method, such as {@code K8S-SAT}
	 * @param data supplier of the authentication data. Called for every connection,
	 * because tokens expire. Also called before the data expires, if it is a JSON Web
	 * Token with the claim {@code exp}
	 * @param checkInterval interval of further calls that find out whether the data has
	 * changed, at least 1 s, or {@code null} for none
	 */
	public record EnhancedAuthentication(String method, Supplier<byte[]> data, @Nullable Duration checkInterval) {

		/**
		 * Creates an authentication.
		 * @throws InvalidOptionException if the interval is less than a second
		 */
		public EnhancedAuthentication {
			if (checkInterval != null) {
				requireRange("authentication.checkInterval", checkInterval, Duration.ofSeconds(1), DAY);
			}
		}

		/**
		 * Creates an authentication whose data is not checked for changes before it
		 * expires.
		 * @param method name of the authentication method, such as {@code K8S-SAT}
		 * @param data supplier of the authentication data, called for every connection
		 */
		public EnhancedAuthentication(String method, Supplier<byte[]> data) {
			this(method, data, null);
		}

	}

	/**
	 * Builder of {@link ConnectionOptions}; see its components. Options are checked by
	 * {@link #build()}. Not thread-safe.
	 */
	public static final class Builder {

		private @Nullable String host;

		private @Nullable Integer port;

		private List<String> hosts = List.of();

		private @Nullable String clientId;

		private @Nullable String username;

		private @Nullable Supplier<String> password;

		private @Nullable Supplier<Tls> tls;

		private @Nullable EnhancedAuthentication authentication;

		private Duration connectTimeout = Duration.ofSeconds(10);

		private Duration startTimeout = Duration.ofSeconds(3);

		private Duration requestTimeout = Duration.ofSeconds(10);

		private Duration keepAlive = Duration.ofSeconds(60);

		private Duration reconnectInitialDelay = Duration.ofMillis(100);

		private Duration reconnectMaxDelay = Duration.ofSeconds(1);

		private int maxInFlight = 1024;

		private int maxPending = 10_000;

		private long maxPendingSize = Math.max(MIN_PENDING_SIZE, Runtime.getRuntime().maxMemory() / 8);

		private DisconnectedBehavior disconnectedBehavior = DisconnectedBehavior.WAIT;

		private Builder() {
		}

		/**
		 * Sets the host of the broker, {@code localhost} by default.
		 * @param host a name or an address
		 * @return this builder
		 */
		public Builder host(String host) {
			this.host = host;
			return this;
		}

		/**
		 * Sets the port of the broker. By default 1883, with TLS 8883.
		 * @param port 1 to 65535
		 * @return this builder
		 */
		public Builder port(int port) {
			this.port = port;
			return this;
		}

		/**
		 * Sets hosts that serve the same store, such as the nodes of a cluster, instead
		 * of {@link #host(String)} and {@link #port(int)}.
		 * <p>
		 * The connection uses one host at a time. It begins with a random one, and tries
		 * the next immediately if an attempt fails or the connection is lost. Once all
		 * have failed, it waits for the reconnect delay. A refused login is not tried at
		 * the next host before that delay. A broker may refer the client to another of
		 * these hosts (MQTT 5 section 4.11), but to no other server.
		 * @param hosts each as {@code host} or {@code host:port}, with an IPv6 address in
		 * brackets; the port is 1883 by default, with TLS 8883. Empty for none
		 * @return this builder
		 */
		public Builder hosts(List<String> hosts) {
			this.hosts = List.copyOf(hosts);
			return this;
		}

		/**
		 * Sets the MQTT client id.
		 * @param clientId the client id, unique at the broker; {@code null} for a random
		 * one
		 * @return this builder
		 */
		public Builder clientId(@Nullable String clientId) {
			this.clientId = clientId;
			return this;
		}

		/**
		 * Sets the user name for the broker.
		 * @param username the user name, or {@code null} for none
		 * @return this builder
		 */
		public Builder username(@Nullable String username) {
			this.username = username;
			return this;
		}

		/**
		 * Sets the password for the broker.
		 * @param password the password, or {@code null} for none
		 * @return this builder
		 */
		public Builder password(@Nullable String password) {
			this.password = (password != null) ? () -> password : null;
			return this;
		}

		/**
		 * Sets the source of the password for the broker, for passwords that change.
		 * @param source supplier of the password, called for every connection
		 * @return this builder
		 */
		public Builder passwordFrom(Supplier<String> source) {
			this.password = source;
			return this;
		}

		/**
		 * Sets the TLS settings of all connections.
		 * @param tls the settings, or {@code null} for plain TCP
		 * @return this builder
		 */
		public Builder tls(@Nullable Tls tls) {
			this.tls = (tls != null) ? () -> tls : null;
			return this;
		}

		/**
		 * Sets the source of the TLS settings, for certificates that change.
		 * @param source supplier of the settings, called for every connection
		 * @return this builder
		 */
		public Builder tlsFrom(Supplier<Tls> source) {
			this.tls = source;
			return this;
		}

		/**
		 * Sets the MQTT 5 enhanced authentication.
		 * @param authentication method and data, or {@code null} for none
		 * @return this builder
		 */
		public Builder authentication(@Nullable EnhancedAuthentication authentication) {
			this.authentication = authentication;
			return this;
		}

		/**
		 * Sets the timeout of one attempt to connect. With several hosts, the first
		 * attempt at each has at most 2 s, which doubles each time the host does not
		 * answer.
		 * @param connectTimeout 1 ms to 24 h
		 * @return this builder
		 */
		public Builder connectTimeout(Duration connectTimeout) {
			this.connectTimeout = connectTimeout;
			return this;
		}

		/**
		 * Sets the maximum time that the start of the application waits for the first
		 * connection.
		 * @param startTimeout 0 to 24 h
		 * @return this builder
		 */
		public Builder startTimeout(Duration startTimeout) {
			this.startTimeout = startTimeout;
			return this;
		}

		/**
		 * Sets the timeout of calls without a timeout of their own.
		 * @param requestTimeout 1 ms to 24 h
		 * @return this builder
		 */
		public Builder requestTimeout(Duration requestTimeout) {
			this.requestTimeout = requestTimeout;
			return this;
		}

		/**
		 * Sets the inactivity after which the client sends PINGREQ.
		 * @param keepAlive 0 (never) to 65535 s, in whole seconds
		 * @return this builder
		 */
		public Builder keepAlive(Duration keepAlive) {
			this.keepAlive = keepAlive;
			return this;
		}

		/**
		 * Sets the delays between attempts to reconnect.
		 * @param initial delay before the first attempt, 1 ms to 24 h; doubles with every
		 * failed attempt
		 * @param max maximum delay, {@code initial} to 24 h
		 * @return this builder
		 */
		public Builder reconnectDelay(Duration initial, Duration max) {
			this.reconnectInitialDelay = initial;
			this.reconnectMaxDelay = max;
			return this;
		}

		/**
		 * Sets the maximum number of requests in flight.
		 * @param maxInFlight 1 to 65000
		 * @return this builder
		 */
		public Builder maxInFlight(int maxInFlight) {
			this.maxInFlight = maxInFlight;
			return this;
		}

		/**
		 * Sets the maximum number of calls waiting to be sent or for a reply. Further
		 * calls fail immediately.
		 * @param maxPending at least 1
		 * @return this builder
		 */
		public Builder maxPending(int maxPending) {
			this.maxPending = maxPending;
			return this;
		}

		/**
		 * Sets the maximum size of the calls waiting to be sent or for a reply. Further
		 * calls fail immediately.
		 * @param maxPendingSize size in bytes, at least 1
		 * @return this builder
		 */
		public Builder maxPendingSize(long maxPendingSize) {
			this.maxPendingSize = maxPendingSize;
			return this;
		}

		/**
		 * Sets the behavior of calls while disconnected.
		 * @param disconnectedBehavior wait or fail
		 * @return this builder
		 */
		public Builder disconnectedBehavior(DisconnectedBehavior disconnectedBehavior) {
			this.disconnectedBehavior = disconnectedBehavior;
			return this;
		}

		/**
		 * Creates the options.
		 * @return new options
		 * @throws InvalidOptionException if an option is invalid
		 */
		public ConnectionOptions build() {
			String clientId = (this.clientId != null) ? this.clientId : randomClientId();
			return new ConnectionOptions(addresses(), clientId, this.username, this.password, this.tls,
					this.authentication, this.connectTimeout, this.startTimeout, this.requestTimeout, this.keepAlive,
					this.reconnectInitialDelay, this.reconnectMaxDelay, this.maxInFlight, this.maxPending,
					this.maxPendingSize, this.disconnectedBehavior);
		}

		private List<BrokerAddress> addresses() {
			int defaultPort = (this.tls != null) ? 8883 : 1883;
			if (this.hosts.isEmpty()) {
				return List.of(new BrokerAddress((this.host != null) ? this.host : "localhost",
						(this.port != null) ? this.port : defaultPort));
			}
			if (this.host != null || this.port != null) {
				throw new InvalidOptionException("hosts", String.join(",", this.hosts),
						"must not be set together with '" + ((this.host != null) ? "host" : "port") + '\'',
						"Set only one of them");
			}
			return new HostList(this.hosts, defaultPort).parse();
		}

		private static String randomClientId() {
			byte[] random = new byte[4];
			new SecureRandom().nextBytes(random);
			return "statestore-" + HexFormat.of().formatHex(random);
		}

	}

}
