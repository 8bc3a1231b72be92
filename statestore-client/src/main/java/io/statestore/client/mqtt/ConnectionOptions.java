package io.statestore.client.mqtt;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Supplier;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * Address of the broker and options of the connection. Immutable; see {@link #builder()}.
 *
 * @param host name or address of the broker, {@code localhost} by default
 * @param port 1 to 65535; by default 1883, with TLS 8883
 * @param clientId the MQTT client id, part of every response topic; by default
 * {@code statestore-} and eight random hexadecimal digits
 * @param username for the broker, or {@code null}
 * @param password for the broker, or {@code null}
 * @param tls returns the TLS settings, called for every connection because certificates
 * change; {@code null} for plain TCP
 * @param authentication MQTT 5 enhanced authentication, or {@code null}
 * @param connectTimeout maximum time of one attempt to connect, 10 s by default
 * @param startTimeout time that the start of the application waits for the first
 * connection, 3 s by default
 * @param requestTimeout deadline of calls that name none, 10 s by default
 * @param keepAlive interval of PINGs without other traffic, in whole seconds, 0 for none,
 * 60 s by default; a broker that sends nothing is noticed after at most twice as long
 * @param reconnectInitialDelay delay before the first attempt to reconnect, 100 ms by
 * default; it doubles with every failure
 * @param reconnectMaxDelay maximum delay between attempts, 1 s by default
 * @param maxInFlight maximum number of requests that are sent and not yet answered, 1 to
 * 65000, 1024 by default; the broker may allow less
 * @param maxPending maximum number of calls that wait for room, a connection or a reply,
 * 10000 by default; urgent calls count apart
 * @param maxPendingSize maximum size of these calls in bytes, without urgent calls; an
 * eighth of the maximum heap by default, at least 16 MiB. A larger call is accepted if no
 * other call is pending
 * @param whenDisconnected what calls do without a connection,
 * {@link WhenDisconnected#WAIT} by default
 * @param transport the MQTT library underneath, {@link Transport#PAHO} by default
 */
public record ConnectionOptions(String host, int port, String clientId, @Nullable String username,
		@Nullable String password, @Nullable Supplier<Tls> tls, @Nullable EnhancedAuthentication authentication,
		Duration connectTimeout, Duration startTimeout, Duration requestTimeout, Duration keepAlive,
		Duration reconnectInitialDelay, Duration reconnectMaxDelay, int maxInFlight, int maxPending,
		long maxPendingSize, WhenDisconnected whenDisconnected, Transport transport) {

	/** Paho has 65,535 message ids; some are left to subscriptions. */
	private static final int MAX_IN_FLIGHT = 65_000;

	/** Maximum size of pending calls by default in a small heap. */
	private static final long MIN_PENDING_SIZE = 16 * 1024 * 1024;

	private static final int MAX_CLIENT_ID_LENGTH = 256;

	private static final Duration DAY = Duration.ofDays(1);

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

	/** Options to change, all at their defaults. */
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
	 * TLS.
	 *
	 * @param socketFactory knows whom to trust and which certificate to show
	 * @param verifyHostname whether the certificate must name the host; switch it off for
	 * tests only
	 * @param keys the certificates to show, {@code null} for none; only
	 * {@link Transport#HIVEMQ} uses it
	 * @param trust whom to trust; {@link Transport#HIVEMQ} needs it, because it makes no
	 * use of the socket factory
	 */
	public record Tls(SSLSocketFactory socketFactory, boolean verifyHostname, @Nullable KeyManagerFactory keys,
			@Nullable TrustManagerFactory trust) {

		/** For {@link Transport#PAHO}. */
		public Tls(SSLSocketFactory socketFactory, boolean verifyHostname) {
			this(socketFactory, verifyHostname, null, null);
		}

		/** With verification of the host name. */
		public Tls(SSLSocketFactory socketFactory) {
			this(socketFactory, true);
		}

	}

	/**
	 * MQTT 5 enhanced authentication in one step.
	 *
	 * @param method its name, such as {@code K8S-SAT}
	 * @param data read again for every connection, because tokens expire
	 */
	public record EnhancedAuthentication(String method, Supplier<byte[]> data) {
	}

	/** Collects options. Not safe for use by several threads. */
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

		public Builder host(String host) {
			this.host = host;
			return this;
		}

		public Builder port(int port) {
			this.port = port;
			return this;
		}

		public Builder clientId(@Nullable String clientId) {
			this.clientId = clientId;
			return this;
		}

		public Builder username(@Nullable String username) {
			this.username = username;
			return this;
		}

		public Builder password(@Nullable String password) {
			this.password = password;
			return this;
		}

		public Builder tls(@Nullable Tls tls) {
			this.tls = (tls != null) ? () -> tls : null;
			return this;
		}

		/**
		 * Sets a source of TLS settings, for certificates that change.
		 * @param source called for every connection
		 * @return this builder
		 */
		public Builder tlsFrom(Supplier<Tls> source) {
			this.tls = source;
			return this;
		}

		public Builder authentication(@Nullable EnhancedAuthentication authentication) {
			this.authentication = authentication;
			return this;
		}

		public Builder connectTimeout(Duration connectTimeout) {
			this.connectTimeout = connectTimeout;
			return this;
		}

		public Builder startTimeout(Duration startTimeout) {
			this.startTimeout = startTimeout;
			return this;
		}

		public Builder requestTimeout(Duration requestTimeout) {
			this.requestTimeout = requestTimeout;
			return this;
		}

		public Builder keepAlive(Duration keepAlive) {
			this.keepAlive = keepAlive;
			return this;
		}

		public Builder reconnectDelay(Duration initial, Duration max) {
			this.reconnectInitialDelay = initial;
			this.reconnectMaxDelay = max;
			return this;
		}

		public Builder maxInFlight(int maxInFlight) {
			this.maxInFlight = maxInFlight;
			return this;
		}

		public Builder maxPending(int maxPending) {
			this.maxPending = maxPending;
			return this;
		}

		/**
		 * Sets the maximum size of calls that wait for room, a connection or a reply.
		 * @param maxPendingSize the number of bytes
		 * @return this builder
		 */
		public Builder maxPendingSize(long maxPendingSize) {
			this.maxPendingSize = maxPendingSize;
			return this;
		}

		/**
		 * Sets what calls do without a connection.
		 * @param whenDisconnected wait or fail
		 * @return this builder
		 */
		public Builder whenDisconnected(WhenDisconnected whenDisconnected) {
			this.whenDisconnected = whenDisconnected;
			return this;
		}

		public Builder transport(Transport transport) {
			this.transport = transport;
			return this;
		}

		/**
		 * @throws IllegalArgumentException naming the option that is out of its range
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
