package io.statestore.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the state store is. A bean of this type takes the place of the connection
 * properties.
 */
public interface StateStoreConnectionDetails extends ConnectionDetails {

	/** Host of the MQTT broker. */
	String getHost();

	/** Port of the MQTT broker. */
	int getPort();

	/** User to log in with, {@code null} for none. */
	default @Nullable String getUsername() {
		return null;
	}

	/** Password to log in with, {@code null} for none. */
	default @Nullable String getPassword() {
		return null;
	}

	/** Certificates for TLS, {@code null} for a connection without TLS. */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
