package io.statestore.client.mqtt.link;

import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/**
 * Options of one link.
 * <p>
 * Internal: not part of the API.
 */
public interface LinkOptions {

	/**
	 * Returns the name or address of the broker.
	 * @return the name or address of the broker
	 */
	String host();

	/**
	 * Returns the port of the broker.
	 * @return the port of the broker
	 */
	int port();

	/**
	 * Returns the MQTT client id.
	 * @return the MQTT client id
	 */
	String clientId();

	/**
	 * Returns the user name for the broker.
	 * @return the user name for the broker, or {@code null} for none
	 */
	@Nullable String username();

	/**
	 * Returns the source of the password for the broker.
	 * @return the source of the password for the broker, or {@code null} for none
	 */
	@Nullable Supplier<String> password();

	/**
	 * Returns the source of TLS settings.
	 * @return the source of TLS settings, or {@code null} for plain TCP
	 */
	@Nullable Supplier<? extends Tls> tls();

	/**
	 * Returns the settings of MQTT 5 enhanced authentication.
	 * @return the settings of MQTT 5 enhanced authentication, or {@code null} for none
	 */
	@Nullable Authentication authentication();

	/**
	 * Returns the maximum duration of a connect.
	 * @return the maximum duration of a connect
	 */
	Duration connectTimeout();

	/**
	 * Returns the interval of PINGs without other traffic.
	 * @return the interval of PINGs without other traffic, 0 for none
	 */
	Duration keepAlive();

	/** TLS settings of one connection. */
	interface Tls {

		/**
		 * Returns the factory of TLS sockets.
		 * @return the factory of TLS sockets
		 */
		SSLSocketFactory socketFactory();

		/**
		 * Returns whether the certificate of the broker must name the host.
		 * @return whether the certificate of the broker must name the host
		 */
		boolean verifyHostname();

		/**
		 * Returns the client certificates.
		 * @return the client certificates, or {@code null} for none
		 */
		@Nullable KeyManagerFactory keys();

		/**
		 * Returns the trusted certificates.
		 * @return the trusted certificates, or {@code null} for those of the JVM
		 */
		@Nullable TrustManagerFactory trust();

	}

	/** MQTT 5 enhanced authentication in one step (section 4.12). */
	interface Authentication {

		/**
		 * Returns the name of the authentication method.
		 * @return the name of the authentication method
		 */
		String method();

		/**
		 * Returns the source of the authentication data of the CONNECT.
		 * @return the source of the authentication data of the CONNECT
		 */
		Supplier<byte[]> data();

	}

}
