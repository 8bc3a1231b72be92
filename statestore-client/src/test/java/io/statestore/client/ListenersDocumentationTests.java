package io.statestore.client;

import java.io.IOException;
import java.time.Duration;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.annotation.EnableStateStoreListeners;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.test.DocumentedSnippets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles and runs the snippets of {@code docs/listeners.md}. */
@Timeout(60)
@Isolated("changes system properties")
class ListenersDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(ListenersDocumentationTests.class);

	@Test
	void everySnippetIsInThisClass() throws IOException {
		DocumentedSnippets.assertAllIn("listeners.md", 6, getClass());
	}

	@Test
	void runsEverySnippet() {
		System.setProperty("machine", "press");
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(StateStoreConnection.class,
					() -> new StateStoreConnection(ConnectionOptions.builder()
						.host(broker.host())
						.port(broker.port())
						.startTimeout(Duration.ofSeconds(20))
						.build()));
			context.register(Listeners.class);
			context.refresh();
			StateStoreListenerRegistry registry = context.getBean(StateStoreListenerRegistry.class);
			registry.stop("setpoint");
			registry.start("setpoint");
			boolean changesArriveNow = registry.get("setpoint").isActive();
			assertThat(changesArriveNow).isTrue();
			assertThat(registry.ids()).hasSize(2);
			StateStoreOperations store = context.getBean(StateStoreOperations.class);
			KeyWatch watch = store.watch("machines/press/setpoint", Setpoint.class,
					(spec) -> spec.initial().noLocal().id("setpoint"), (change) -> logger.info("{}", change));
			watch.close();
			assertThat(watch.isActive()).isFalse();
		}
		finally {
			System.clearProperty("machine");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableStateStoreListeners
	static class Listeners {

		@StateStoreListener(keys = "machines/${machine}/setpoint", initial = true)
		void setpoint(@Nullable Setpoint setpoint) {
			logger.info("Setpoint is {}", (setpoint != null) ? setpoint.degrees() : "not set");
		}

		@StateStoreListener(id = "setpoint", keys = "machines/press/setpoint")
		void again(KeyChange<Setpoint> change) {
			logger.info("{}", change);
		}

		@Bean
		StateStoreOperations store(StateStoreConnection connection) {
			JsonMapper jsonMapper = JsonMapper.builder().build();
			KeyWatches watches = new KeyWatches(connection);
			StateStoreOperations store = new StateStoreTemplate(connection, new JacksonValueConverter(jsonMapper),
					watches);
			return store;
		}

		@Bean
		StateStoreListenerRegistry listenerRegistry(ObjectProvider<StateStoreOperations> operations) {
			return new StateStoreListenerRegistry(operations::getObject, Duration.ofSeconds(30));
		}

		@Bean
		KeyChangeErrorHandler alarm() {
			return (listenerId, change, failure) -> logger.warn("{} did not take {}", listenerId, change, failure);
		}

	}

	record Setpoint(int degrees) {
	}

}
