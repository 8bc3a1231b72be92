package io.statestore.boot.testcontainers;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link ServiceConnection @ServiceConnection} on a static field, with a login. A test
 * broker replaces the container.
 */
@SpringJUnitConfig(ServiceConnectionFieldTests.Application.class)
@TestPropertySource(properties = "statestore.embedded.enabled=true")
class ServiceConnectionFieldTests {

	private static final StateStoreBroker broker = StateStoreBroker.builder().account("press", "sesame").start();

	@ServiceConnection
	static final StubbedContainer container = new StubbedContainer("registry.example/statestore-broker:0.1.0",
			broker::port)
		.withEnv("STATESTORE_USERNAME", "press")
		.withEnv("STATESTORE_PASSWORD", "sesame");

	@AfterAll
	static void stop() {
		broker.close();
	}

	@Test
	void connectsToImageInsteadOfEmbeddedBroker(@Autowired StateStoreOperations store) {
		store.set("press", "on");
		assertThat(broker.statistics().store().keys()).isOne();
	}

	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
			StateStoreAutoConfiguration.class })
	static class Application {

	}

}
