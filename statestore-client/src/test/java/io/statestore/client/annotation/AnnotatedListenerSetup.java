package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Spring context with annotated methods, connected to a broker of its own. */
abstract class AnnotatedListenerSetup {

	static StateStoreBroker broker;

	static StateStoreConnection writerConnection;

	static StateStoreOperations writer;

	final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeAll
	static void startBroker() {
		broker = StateStoreBroker.builder().start();
		writerConnection = connect();
		writerConnection.start();
		writer = new StateStoreTemplate(writerConnection, converter());
	}

	@AfterAll
	static void stopBroker() {
		writerConnection.stop();
		broker.close();
	}

	static StateStoreConnection connect() {
		return new StateStoreConnection(ConnectionOptions.builder()
			.host("localhost")
			.port(broker.port())
			.startTimeout(Duration.ofSeconds(20))
			.build());
	}

	static JacksonValueConverter converter() {
		return new JacksonValueConverter(JsonMapper.builder().build());
	}

	@BeforeEach
	void deleteKeys() {
		writer.scan("*").forEach(writer::delete);
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	<T> T start(Class<T> listeners) {
		this.context.register(StoreConfiguration.class, listeners);
		this.context.refresh();
		return this.context.getBean(listeners);
	}

	static void awaitCalls(List<?> calls, int count) {
		Awaitility.await("call " + count).until(() -> calls.size() >= count);
	}

	record Setpoint(int degrees) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableStateStoreListeners
	static class StoreConfiguration {

		@Bean
		StateStoreConnection stateStoreConnection() {
			return connect();
		}

		@Bean
		KeyWatches keyWatches(StateStoreConnection connection) {
			return new KeyWatches(connection);
		}

		@Bean
		StateStoreTemplate stateStoreTemplate(StateStoreConnection connection, KeyWatches watches) {
			return new StateStoreTemplate(connection, converter(), watches);
		}

	}

}
