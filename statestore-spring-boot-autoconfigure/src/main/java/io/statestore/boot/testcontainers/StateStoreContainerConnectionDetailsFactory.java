package io.statestore.boot.testcontainers;

import java.util.List;

import io.statestore.boot.StateStoreConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Container;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;

/**
 * Creates {@link StateStoreConnectionDetails} for a container annotated with
 * {@link ServiceConnection @ServiceConnection}. Accepts containers whose image is named
 * {@code statestore-broker} and containers whose annotation has the name
 * {@code statestore}.
 */
class StateStoreContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, StateStoreConnectionDetails> {

	private static final List<String> CONNECTION_NAMES = List.of("statestore", "statestore-broker");

	StateStoreContainerConnectionDetailsFactory() {
		super(CONNECTION_NAMES);
	}

	@Override
	protected StateStoreConnectionDetails getContainerConnectionDetails(
			ContainerConnectionSource<Container<?>> source) {
		return new StateStoreContainerConnectionDetails(source);
	}

	/** {@link StateStoreConnectionDetails} of a started container. */
	private static final class StateStoreContainerConnectionDetails extends ContainerConnectionDetails<Container<?>>
			implements StateStoreConnectionDetails {

		private static final int PORT = 1883;

		private static final int TLS_PORT = 8883;

		private StateStoreContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public String getHost() {
			return getContainer().getHost();
		}

		@Override
		public int getPort() {
			return getContainer().getMappedPort((getSslBundle() != null) ? TLS_PORT : PORT);
		}

		@Override
		public @Nullable String getUsername() {
			return getContainer().getEnvMap().get("STATESTORE_USERNAME");
		}

		@Override
		public @Nullable String getPassword() {
			return getContainer().getEnvMap().get("STATESTORE_PASSWORD");
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return super.getSslBundle();
		}

	}

}
