package io.statestore.boot.testcontainers;

import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;

/** A snippet of {@code docs/deployment.md}. */
@TestConfiguration(proxyBeanMethods = false)
class StateStoreContainerConfiguration {

	@Bean
	@ServiceConnection("statestore")
	GenericContainer<?> stateStoreContainer() {
		return new GenericContainer<>("statestore-broker").withExposedPorts(1883)
			.withEnv("STATESTORE_USERNAME", "test")
			.withEnv("STATESTORE_PASSWORD", "test");
	}

}
