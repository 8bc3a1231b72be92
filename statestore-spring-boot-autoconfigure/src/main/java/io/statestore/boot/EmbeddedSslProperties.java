package io.statestore.boot;

import io.statestore.broker.security.ServerTls.ClientAuth;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of TLS of the embedded broker. Separate from {@link StateStoreProperties},
 * because the broker is optional.
 */
@ConfigurationProperties("statestore.embedded.ssl")
public class EmbeddedSslProperties {

	/**
	 * Name of the SSL bundle with the certificate of the embedded broker, and with the
	 * certificate authorities of its clients. Encrypts all connections. An update of the
	 * bundle applies to new connections. By default the broker uses plain TCP.
	 */
	private @Nullable String bundle;

	/**
	 * Whether clients of the embedded broker need a certificate: 'none', 'want' to accept
	 * clients without one, or 'need'. By default 'none'.
	 */
	private @Nullable ClientAuth clientAuth;

	public @Nullable String getBundle() {
		return this.bundle;
	}

	public void setBundle(@Nullable String bundle) {
		this.bundle = bundle;
	}

	public @Nullable ClientAuth getClientAuth() {
		return this.clientAuth;
	}

	public void setClientAuth(@Nullable ClientAuth clientAuth) {
		this.clientAuth = clientAuth;
	}

}
