package io.statestore.boot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** Creates {@link ConnectionOptions} from properties and connection details. */
record ConnectionOptionsFactory(StateStoreProperties properties, StateStoreConnectionDetails details) {

	/** Authentication method of Azure IoT Operations for service account tokens. */
	private static final String SERVICE_ACCOUNT_TOKEN = "K8S-SAT";

	/**
	 * Interval between checks for a new token, far shorter than the lifetime of any
	 * token.
	 */
	private static final Duration TOKEN_CHECK_INTERVAL = Duration.ofSeconds(5);

	private static final Duration INITIAL_DELAY = Duration.ofMillis(100);

	ConnectionOptions create(List<ConnectionOptionsBuilderCustomizer> customizers) {
		ConnectionOptions.Builder builder = builder();
		customizers.forEach((customizer) -> customizer.customize(builder));
		try {
			return builder.build();
		}
		catch (InvalidOptionException ex) {
			String hint = customizers.isEmpty() ? ""
					: " A ConnectionOptionsBuilderCustomizer may have changed the option.";
			throw OptionProperties.invalid("statestore.", ex, hint);
		}
	}

	private ConnectionOptions.Builder builder() {
		Duration maxDelay = this.properties.reconnect().maxDelay();
		Duration initialDelay = (maxDelay.compareTo(INITIAL_DELAY) < 0) ? maxDelay : INITIAL_DELAY;
		ConnectionOptions.Builder builder = ConnectionOptions.builder()
			.reconnectDelay(initialDelay, maxDelay)
			.clientId(this.properties.clientId())
			.username(this.details.getUsername())
			.password(this.details.getPassword())
			.authentication(authentication())
			.connectTimeout(this.properties.connectTimeout())
			.startTimeout(this.properties.startTimeout())
			.requestTimeout(this.properties.requestTimeout())
			.keepAlive(this.properties.keepAlive())
			.maxInFlight(this.properties.maxInFlight())
			.maxPending(this.properties.maxPending())
			.disconnectedBehavior(this.properties.disconnectedBehavior());
		if (this.details.getHosts().isEmpty()) {
			builder.host(this.details.getHost()).port(this.details.getPort());
		}
		else {
			builder.hosts(this.details.getHosts());
		}
		Path passwordFile = this.details.getPasswordFile();
		if (passwordFile != null) {
			builder.passwordFrom(new SecretFile("statestore.password-file", passwordFile)::firstLine);
		}
		if (this.details.getSslBundle() != null) {
			// Fails early if the bundle is unusable.
			tls();
			builder.tlsFrom(this::tls);
		}
		return builder;
	}

	/** Called for every connection, because the bundle may have been updated. */
	private ConnectionOptions.Tls tls() {
		SslBundle bundle = this.details.getSslBundle();
		if (bundle == null) {
			throw new IllegalStateException("The StateStoreConnectionDetails no longer return an SSL bundle. "
					+ "Return a bundle for every connection, or for none");
		}
		return new ConnectionOptions.Tls(bundle.createSslContext(), true, bundle.getManagers().getKeyManagerFactory());
	}

	private ConnectionOptions.@Nullable EnhancedAuthentication authentication() {
		Path file = this.details.getServiceAccountTokenFile();
		if (file == null) {
			return null;
		}
		SecretFile token = new SecretFile("statestore.service-account-token-file", file);
		return new ConnectionOptions.EnhancedAuthentication(SERVICE_ACCOUNT_TOKEN, token::content,
				TOKEN_CHECK_INTERVAL);
	}

}
