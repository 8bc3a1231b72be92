package io.statestore.client.mqtt.internal;

import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;

import io.statestore.client.mqtt.ConnectionOptions;

/** Determines whether a client has a certificate. */
final class ClientCertificates {

	private static final List<String> KEY_TYPES = List.of("EC", "RSA", "RSASSA-PSS", "EdDSA", "DSA");

	private ClientCertificates() {
	}

	/**
	 * Returns whether the client presents a certificate if the broker requests one. A
	 * socket factory does not tell, so the source of the certificates must be known.
	 * @param options options of the connection
	 */
	static boolean exist(ConnectionOptions options) {
		Supplier<ConnectionOptions.Tls> tls = options.tls();
		try {
			KeyManagerFactory keys = (tls != null) ? tls.get().keys() : null;
			return keys != null && exist(keys.getKeyManagers());
		}
		catch (RuntimeException ex) {
			// The settings have become unusable, which the next connection reports.
			return false;
		}
	}

	private static boolean exist(KeyManager[] managers) {
		for (KeyManager manager : managers) {
			// A factory without a key store has a manager, too, but no certificate.
			if (manager instanceof X509KeyManager certificates
					&& KEY_TYPES.stream().anyMatch((type) -> certificates.getClientAliases(type, null) != null)) {
				return true;
			}
		}
		return false;
	}

}
