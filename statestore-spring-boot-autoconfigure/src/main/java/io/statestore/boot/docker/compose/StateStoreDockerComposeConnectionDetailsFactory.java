package io.statestore.boot.docker.compose;

import io.statestore.boot.StateStoreConnectionDetails;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * Creates {@link StateStoreConnectionDetails} for a Docker Compose service. Accepts
 * services whose image is named {@code statestore-broker} and services whose
 * {@code org.springframework.boot.service-connection} label is {@code statestore}.
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

		private final RunningService service;

		private final int port;

		private final @Nullable SslBundle sslBundle;

		private StateStoreDockerComposeConnectionDetails(RunningService service) {
			super(service);
			this.service = service;
			this.sslBundle = getSslBundle(service);
			this.port = service.ports().get((this.sslBundle != null) ? TLS_PORT : PORT);
		}

		@Override
		public String getHost() {
			return this.service.host();
		}

		@Override
		public int getPort() {
			return this.port;
		}

		@Override
		public @Nullable String getUsername() {
			return this.service.env().get("STATESTORE_USERNAME");
		}

		@Override
		public @Nullable String getPassword() {
			return this.service.env().get("STATESTORE_PASSWORD");
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.sslBundle;
		}

	}

}
