package io.statestore.boot;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Addresses, credentials, and certificates for the connection to the state store. A bean
 * of this type takes precedence over the connection properties.
 */
public interface StateStoreConnectionDetails extends ConnectionDetails {

	/**
	 * Returns the host of the MQTT broker.
	 * @return a host name or IP address
	 */
	String getHost();

	/**
	 * Returns the port of the MQTT broker.
	 * @return 1 to 65535
	 */
	int getPort();

	/**
	 * Returns the hosts that provide the same store, such as the nodes of a cluster.
	 * These hosts replace {@link #getHost()} and {@link #getPort()}.
	 * @return the hosts, each as {@code host} or {@code host:port}, with an IPv6 address
	 * in brackets; empty to use {@link #getHost()}
	 */
	default List<String> getHosts() {
		return List.of();
	}

	/**
	 * Returns the user name for the broker.
	 * @return the user name, or {@code null} to send none
	 */
	default @Nullable String getUsername() {
		return null;
	}

	/**
	 * Returns the password for the broker.
	 * @return the password, or {@code null} to send none
	 */
	default @Nullable String getPassword() {
		return null;
	}

	/**
	 * Returns the file whose first line is the password for the broker. The file is read
	 * for every connection and replaces {@link #getPassword()}.
	 * @return the file, or {@code null} if there is none
	 */
	default @Nullable Path getPasswordFile() {
		return null;
	}

	/**
	 * Returns the file with the service account token for the broker. The file is read
	 * for every connection and every five seconds while connected. If its content
	 * changes, the client authenticates again without reconnecting.
	 * @return the file, or {@code null} if no token is used
	 */
	default @Nullable Path getServiceAccountTokenFile() {
		return null;
	}

	/**
	 * Returns the certificates for TLS. Called for every connection, so that updated
	 * bundles take effect.
	 * @return the bundle, or {@code null} for a connection without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

	/**
	 * Registers a handler that re-establishes the connection after an update of the
	 * {@linkplain #getSslBundle() bundle}.
	 * @param handler handler to call after each update
	 */
	default void addSslBundleUpdateHandler(Runnable handler) {
	}

}
