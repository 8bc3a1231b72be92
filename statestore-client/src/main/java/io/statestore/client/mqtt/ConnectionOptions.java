package io.statestore.client.mqtt;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Supplier;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.client.mqtt.link.LinkOptions;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * Address of the broker and options of the connection. Immutable; see {@link #builder()}.
 *
 * @param host name or address of the broker, {@code localhost} by default
 * @param port 1 to 65535; by default 1883, with TLS 8883
 * @param clientId the MQTT client id, part of every response topic; by default
 * {@code statestore-} and eight random hexadecimal digits
 * @param username user name for the broker, or {@code null}
 * @param password password for the broker, or {@code null}
 * @param tls source of TLS settings, called for every connection because certificates
 * change; {@code null} for plain TCP
 * @param authentication MQTT 5 enhanced authentication, or {@code null}
 * @param connectTimeout maximum duration of one attempt to connect, 10 s by default
 * @param startTimeout time that the start of the application waits for the first
 * connection, 3 s by default
 * @param requestTimeout timeout of calls whose options have none, 10 s by default
 * @param keepAlive interval of PINGs without other traffic, in whole seconds, 0 for none,
 * 60 s by default; a lost connection is detected after at most twice this time
 * @param reconnectInitialDelay delay before the first attempt to reconnect, 100 ms by
 * default; it doubles with every failure
 * @param reconnectMaxDelay maximum delay between attempts, 1 s by default
 * @param maxInFlight maximum number of requests in flight, 1 to 65000, 1024 by default;
 * the broker may allow less
 * @param maxPending maximum number of calls that wait for room, a connection, or a reply,
 * 10000 by default; urgent calls have a limit of the same size
 * @param maxPendingSize maximum size of these calls in bytes, without urgent calls; an
 * eighth of the maximum heap by default, at least 16 MiB. A larger call is accepted if no
 * other call is pending
 * @param whenDisconnected behavior of calls without a connection,
 * {@link WhenDisconnected#WAIT} by default
 * @param transport the MQTT library, {@link Transport#PAHO} by default
 */
public record ConnectionOptions(String host, int port, String clientId, @Nullable String username,
		@Nullable String password, @Nullable Supplier<Tls> tls, @Nullable EnhancedAuthentication authentication,
		Duration connectTimeout, Duration startTimeout, Duration requestTimeout, Duration keepAlive,
		Duration reconnectInitialDelay, Duration reconnectMaxDelay, int maxInFlight, int maxPending,
		long maxPendingSize, WhenDisconnected whenDisconnected, Transport transport) implements LinkOptions {

	/**
	 * Maximum of {@link #maxInFlight}: 65,535 packet ids, less some for subscriptions.
	 */
	private static final int MAX_IN_FLIGHT = 65_000;

	/** Lower bound of the default of {@link #maxPendingSize}. */
	private static final long MIN_PENDING_SIZE = 16 * 1024 * 1024;

	private static final int MAX_CLIENT_ID_LENGTH = 256;

	private static final Duration DAY = Duration.ofDays(1);

	/**
	 * Validates the options.
	 * @throws IllegalArgumentException if an option is out of its range; the message
	 * names it
	 */
	public ConnectionOptions {
		require(!host.isBlank(), "host", '\'' + host + '\'', "the name or address of the broker");
		requireRange("port", port, 1, 65_535);
		requireClientId(clientId);
		require(password == null || username != null, "password", "set", "used together with a 'username'");
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
		requireUsable(transport, tls);
	}

	private static void requireUsable(Transport transport, @Nullable Supplier<Tls> tls) {
		String problem = transport.problem();
		if (problem != null) {
			throw new IllegalArgumentException("'transport' is " + transport + ", but " + problem);
		}
		require(transport == Transport.PAHO || tls == null || tls.get().trust() != null, "tls",
				"made of a socket factory", "made of key and trust managers with transport " + transport);
	}

	/**
	 * Returns a builder with all options at their defaults.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns these options with another client id.
	 * @param clientId the MQTT client id of a further connection to the same broker
	 * @return the options
	 */
	public ConnectionOptions withClientId(String clientId) {
		return new ConnectionOptions(this.host, this.port, clientId, this.username, this.password, this.tls,
				this.authentication, this.connectTimeout, this.startTimeout, this.requestTimeout, this.keepAlive,
				this.reconnectInitialDelay, this.reconnectMaxDelay, this.maxInFlight, this.maxPending,
				this.maxPendingSize, this.whenDisconnected, this.transport);
	}

	/**
	 * Returns the address of the broker as shown in logs and messages.
	 * @return the URL
	 */
	public String url() {
		return ((this.tls != null) ? "mqtts://" : "mqtt://") + this.host + ':' + this.port;
	}

	@Override
	public String toString() {
		return "ConnectionOptions[" + url() + ", clientId=" + this.clientId + ']';
	}

	private static void requireClientId(String clientId) {
		boolean allowed = clientId.chars().noneMatch((c) -> Character.isISOControl(c) || c == '+' || c == '#')
				&& clientId.codePoints().noneMatch((c) -> Character.getType(c) == Character.SURROGATE);
		require(!clientId.isEmpty() && clientId.length() <= MAX_CLIENT_ID_LENGTH && allowed, "clientId",
				'\'' + clientId + '\'',
				"1 to " + MAX_CLIENT_ID_LENGTH + " characters without '+', '#' and control characters");
		require(Topics.isResponseTopicAllowed(Topics.response(clientId)), "clientId", '\'' + clientId + '\'',
				"different from the topics of the state store");
	}

	private static void requireRange(String name, int value, int min, int max) {
		require(value >= min && value <= max, name, value, min + " to " + max);
	}

	private static void requireRange(String name, Duration value, Duration min, Duration max) {
		require(value.compareTo(min) >= 0 && value.compareTo(max) <= 0, name, value, min + " to " + max);
	}

	private static void require(boolean condition, String name, Object value, String range) {
		if (!condition) {
			throw new IllegalArgumentException("'" + name + "' must be " + range + ", but is " + value
					+ ". Change the option, or the property " + property(name));
		}
	}

	private static String property(String option) {
		return "statestore." + switch (option) {
			case "reconnectInitialDelay" -> "reconnect.initial-delay";
			case "reconnectMaxDelay" -> "reconnect.max-delay";
			case "tls" -> "ssl.bundle";
			default -> option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT);
		};
	}

	/**
	 * TLS settings.
	 *
	 * @param socketFactory factory of TLS sockets, with the certificates to trust and to
	 * present; only {@link Transport#PAHO} uses it
	 * @param verifyHostname whether the certificate of the broker must name the host;
	 * {@code false} for tests only
	 * @param keys the client certificates, {@code null} for none; only
	 * {@link Transport#HIVEMQ} uses them
	 * @param trust the trusted certificates; required by {@link Transport#HIVEMQ} and
	 * used only by it
	 */
	public record Tls(SSLSocketFactory socketFactory, boolean verifyHostname, @Nullable KeyManagerFactory keys,
			@Nullable TrustManagerFactory trust) implements LinkOptions.Tls {

		/**
		 * Creates settings for {@link Transport#PAHO}.
		 * @param socketFactory factory of TLS sockets
		 * @param verifyHostname whether the certificate of the broker must name the host
		 */
		public Tls(SSLSocketFactory socketFactory, boolean verifyHostname) {
			this(socketFactory, verifyHostname, null, null);
		}

		/**
		 * Creates settings for {@link Transport#PAHO} that verify the host name.
		 * @param socketFactory factory of TLS sockets
		 */
		public Tls(SSLSocketFactory socketFactory) {
			this(socketFactory, true);
		}

	}

	/**
	 * MQTT 5 enhanced authentication in one step (section 4.12).
	 *
	 * @param method name of the method, such as {@code K8S-SAT}
	 * @param data source of the authentication data, called for every connection because
	 * tokens expire
	 */
	public record EnhancedAuthentication(String method, Supplier<byte[]> data) implements LinkOptions.Authentication {
	}

	/** Builder of options. Not thread-safe. */
	public static final class Builder {

		private String host = "localhost";

		private @Nullable Integer port;

		private @Nullable String clientId;

		private @Nullable String username;

		private @Nullable String password;

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

		private WhenDisconnected whenDisconnected = WhenDisconnected.WAIT;

		private Transport transport = Transport.PAHO;

		private Builder() {
		}

		/**
		 * Sets the name or address of the broker.
		 * @param host the host
		 * @return this builder
		 */
		public Builder host(String host) {
			this.host = host;
			return this;
		}

		/**
		 * Sets the port of the broker.
		 * @param port 1 to 65535
		 * @return this builder
		 */
		public Builder port(int port) {
			this.port = port;
			return this;
		}

		/**
		 * Sets the MQTT client id.
		 * @param clientId the client id, {@code null} for a random one
		 * @return this builder
		 */
		public Builder clientId(@Nullable String clientId) {
			this.clientId = clientId;
			return this;
		}

		/**
		 * Sets the user name for the broker.
		 * @param username the user name, or {@code null}
		 * @return this builder
		 */
		public Builder username(@Nullable String username) {
			this.username = username;
			return this;
		}

		/**
		 * Sets the password for the broker.
		 * @param password the password, or {@code null}
		 * @return this builder
		 */
		public Builder password(@Nullable String password) {
			this.password = password;
			return this;
		}

		/**
		 * Sets the TLS settings.
		 * @param tls the settings, {@code null} for plain TCP
		 * @return this builder
		 */
		public Builder tls(@Nullable Tls tls) {
			this.tls = (tls != null) ? () -> tls : null;
			return this;
		}

		/**
		 * Sets a source of TLS settings, for certificates that change.
		 * @param source returns the settings for each connection, {@code null} for plain
		 * TCP
		 * @return this builder
		 */
		public Builder tlsFrom(Supplier<Tls> source) {
			this.tls = source;
			return this;
		}

		/**
		 * Sets the settings of enhanced authentication.
		 * @param authentication the settings, or {@code null}
		 * @return this builder
		 */
		public Builder authentication(@Nullable EnhancedAuthentication authentication) {
			this.authentication = authentication;
			return this;
		}

		/**
		 * Sets the maximum duration of one attempt to connect.
		 * @param connectTimeout 1 ms to a day
		 * @return this builder
		 */
		public Builder connectTimeout(Duration connectTimeout) {
			this.connectTimeout = connectTimeout;
			return this;
		}

		/**
		 * Sets the time that the start of the application waits for the first connection.
		 * @param startTimeout 0 to a day
		 * @return this builder
		 */
		public Builder startTimeout(Duration startTimeout) {
			this.startTimeout = startTimeout;
			return this;
		}

		/**
		 * Sets the timeout of calls whose options have none.
		 * @param requestTimeout 1 ms to a day
		 * @return this builder
		 */
		public Builder requestTimeout(Duration requestTimeout) {
			this.requestTimeout = requestTimeout;
			return this;
		}

		/**
		 * Sets the interval of PINGs without other traffic.
		 * @param keepAlive whole seconds, 0 for no PINGs
		 * @return this builder
		 */
		public Builder keepAlive(Duration keepAlive) {
			this.keepAlive = keepAlive;
			return this;
		}

		/**
		 * Sets the delays between attempts to connect.
		 * @param initial first delay; it doubles with every failure
		 * @param max maximum delay
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
		 * Sets the maximum number of calls that wait for room, a connection, or a reply.
		 * @param maxPending at least 1
		 * @return this builder
		 */
		public Builder maxPending(int maxPending) {
			this.maxPending = maxPending;
			return this;
		}

		/**
		 * Sets the maximum size of calls that wait for room, a connection, or a reply.
		 * @param maxPendingSize the number of bytes
		 * @return this builder
		 */
		public Builder maxPendingSize(long maxPendingSize) {
			this.maxPendingSize = maxPendingSize;
			return this;
		}

		/**
		 * Sets the behavior of calls without a connection.
		 * @param whenDisconnected the behavior
		 * @return this builder
		 */
		public Builder whenDisconnected(WhenDisconnected whenDisconnected) {
			this.whenDisconnected = whenDisconnected;
			return this;
		}

		/**
		 * Sets the MQTT library.
		 * @param transport the library
		 * @return this builder
		 */
		public Builder transport(Transport transport) {
			this.transport = transport;
			return this;
		}

		/**
		 * Returns the options.
		 * @return immutable options
		 * @throws IllegalArgumentException if an option is out of its range; the message
		 * names it
		 */
		public ConnectionOptions build() {
			int port = (this.port != null) ? this.port : ((this.tls != null) ? 8883 : 1883);
			String clientId = (this.clientId != null) ? this.clientId : randomClientId();
			return new ConnectionOptions(this.host, port, clientId, this.username, this.password, this.tls,
					this.authentication, this.connectTimeout, this.startTimeout, this.requestTimeout, this.keepAlive,
					this.reconnectInitialDelay, this.reconnectMaxDelay, this.maxInFlight, this.maxPending,
					this.maxPendingSize, this.whenDisconnected, this.transport);
		}

		private static String randomClientId() {
			byte[] random = new byte[4];
			new SecureRandom().nextBytes(random);
			return "statestore-" + HexFormat.of().formatHex(random);
		}

	}

}
