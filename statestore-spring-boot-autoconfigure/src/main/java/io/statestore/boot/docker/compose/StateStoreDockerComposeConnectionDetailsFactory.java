package io.statestore.boot.docker.compose;

import java.util.Map;

import io.statestore.boot.StateStoreConnectionDetails;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * Factory of {@link StateStoreConnectionDetails} for a service of Docker Compose. Accepts
 * services whose image is named {@code statestore-broker}, and services with the label
 * {@code org.springframework.boot.service-connection} set to {@code statestore}.
 */
class StateStoreDockerComposeConnectionDetailsFactory
		extends DockerComposeConnectionDetailsFactory<StateStoreConnectionDetails> {

	private static final String[] CONNECTION_NAMES = { "statestore", "statestore-broker" };

	private static final int PORT = 1883;

	private static final int TLS_PORT = 8883;

	StateStoreDockerComposeConnectionDetailsFactory() {
		super(CONNECTION_NAMES);
	}

	@Override
	protected StateStoreConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new StateStoreDockerComposeConnectionDetails(source.getRunningService());
	}

	/** {@link StateStoreConnectionDetails} of a running service. */
	private static final class StateStoreDockerComposeConnectionDetails extends DockerComposeConnectionDetails
			implements StateStoreConnectionDetails {

		private final String host;

		private final int port;

		private final @Nullable String username;

		private final @Nullable String password;

		private final @Nullable SslBundle sslBundle;

		private StateStoreDockerComposeConnectionDetails(RunningService service) {
			super(service);
			Map<String, @Nullable String> environment = service.env();
			this.host = service.host();
			this.username = environment.get("STATESTORE_USERNAME");
			this.password = environment.get("STATESTORE_PASSWORD");
			this.sslBundle = getSslBundle(service);
			this.port = service.ports().get((this.sslBundle != null) ? TLS_PORT : PORT);
		}

		@Override
		public String getHost() {
			return this.host;
		}

		@Override
		public int getPort() {
			return this.port;
		}

		@Override
		public @Nullable String getUsername() {
			return this.username;
		}

		@Override
		public @Nullable String getPassword() {
			return this.password;
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.sslBundle;
		}

	}

}
