package io.statestore.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.unit.DataSize;

/** Factory of {@link ConnectionOptions} from properties and connection details. */
class ConnectionOptionsFactory {

	/** Kubernetes service account tokens, as Azure IoT Operations takes them. */
	private static final String SERVICE_ACCOUNT_TOKEN = "K8S-SAT";

	private final StateStoreProperties properties;

	private final StateStoreConnectionDetails details;

	ConnectionOptionsFactory(StateStoreProperties properties, StateStoreConnectionDetails details) {
		this.properties = properties;
		this.details = details;
	}

	ConnectionOptions create(Stream<ConnectionOptionsBuilderCustomizer> customizers) {
		try {
			ConnectionOptions.Builder builder = ConnectionOptions.builder();
			if (this.details.getSslBundle() != null) {
				// Fails now if the bundle cannot be used.
				tls();
				builder.tlsFrom(this::tls);
			}
			builder.host(this.details.getHost())
				.port(this.details.getPort())
				.clientId(this.properties.getClientId())
				.username(this.details.getUsername())
				.password(this.details.getPassword())
				.authentication(authentication())
				.connectTimeout(this.properties.getConnectTimeout())
				.startTimeout(this.properties.getStartTimeout())
				.requestTimeout(this.properties.getRequestTimeout())
				.keepAlive(this.properties.getKeepAlive())
				.reconnectDelay(this.properties.getReconnect().getInitialDelay(),
						this.properties.getReconnect().getMaxDelay())
				.maxInFlight(this.properties.getMaxInFlight())
				.maxPending(this.properties.getMaxPending())
				.whenDisconnected(this.properties.getWhenDisconnected())
				.transport(this.properties.getTransport());
			DataSize maxPendingSize = this.properties.getMaxPendingSize();
			if (maxPendingSize != null) {
				builder.maxPendingSize(maxPendingSize.toBytes());
			}
			customizers.forEach((customizer) -> customizer.customize(builder));
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw OptionFailures.namingTheProperty("statestore.", ex);
		}
	}

	/** Called for every connection, because the bundle may have been updated. */
	private ConnectionOptions.Tls tls() {
		SslBundle bundle = this.details.getSslBundle();
		if (bundle == null) {
			throw new IllegalStateException("The connection details returned an SSL bundle before and now return none");
		}
		return new ConnectionOptions.Tls(bundle.createSslContext().getSocketFactory(), true,
				bundle.getManagers().getKeyManagerFactory(), bundle.getManagers().getTrustManagerFactory());
	}

	private ConnectionOptions.@Nullable EnhancedAuthentication authentication() {
		Path file = this.details.getServiceAccountTokenFile();
		return (file != null)
				? new ConnectionOptions.EnhancedAuthentication(SERVICE_ACCOUNT_TOKEN, () -> readToken(file)) : null;
	}

	private static byte[] readToken(Path file) {
		try {
			return Files.readAllBytes(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"Cannot read the file '" + file + "' that statestore.service-account-token-file names", ex);
		}
	}

}
