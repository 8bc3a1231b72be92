package io.statestore.boot;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Address of the state store, and how to log in there. A bean of this type takes
 * precedence over the connection properties, logins and certificates included.
 */
public interface StateStoreConnectionDetails extends ConnectionDetails {

	/**
	 * Returns the host of the MQTT broker.
	 * @return a name or an address
	 */
	String getHost();

	/**
	 * Returns the port of the MQTT broker.
	 * @return 1 to 65535
	 */
	int getPort();

	/**
	 * Returns the user to log in with.
	 * @return the user, {@code null} for none
	 */
	default @Nullable String getUsername() {
		return null;
	}

	/**
	 * Returns the password to log in with.
	 * @return the password, {@code null} for none
	 */
	default @Nullable String getPassword() {
		return null;
	}

	/**
	 * Returns the file with the service account token to log in with, which is read for
	 * every connection.
	 * @return the file, {@code null} for no such login
	 */
	default @Nullable Path getServiceAccountTokenFile() {
		return null;
	}

	/**
	 * Returns the certificates for TLS. Called for every connection, so that it may
	 * return an updated bundle.
	 * @return the bundle, {@code null} for a connection without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

	/**
	 * Registers a handler of updates of the {@linkplain #getSslBundle() bundle}, which
	 * replaces the connection.
	 * @param handler called after each update
	 */
	default void addSslBundleUpdateHandler(Runnable handler) {
	}

}
