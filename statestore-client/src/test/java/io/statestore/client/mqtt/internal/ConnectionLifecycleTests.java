package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.ClientResources;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A connection in a Spring context, from the first bean to the last. */
@Timeout(60)
class ConnectionLifecycleTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	@AfterEach
	void close() {
		this.broker.close();
	}

	@Test
	void servesCallsBeforeStartAndAfterStop() {
		EarlyAndLate bean;
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(StateStoreBroker.class, () -> this.broker);
			context.register(Client.class, EarlyAndLate.class);
			context.refresh();
			bean = context.getBean(EarlyAndLate.class);
		}
		assertThat(bean.last).contains("early");
	}

	@Test
	void endsWithContext() {
		StateStoreConnection connection;
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(StateStoreBroker.class, () -> this.broker);
			context.register(Client.class);
			context.refresh();
			connection = context.getBean(StateStoreConnection.class);
			assertThat(connection.isConnected()).isTrue();
			context.stop();
			assertThat(connection.isConnected()).isFalse();
			context.start();
			assertThat(connection.isConnected()).isTrue();
		}
		assertThatIllegalStateException().isThrownBy(connection::start).withMessageContaining("is closed");
		assertThat(connection.isRunning()).isFalse();
	}

	@Test
	void countsStartTimeoutFromFirstCall() {
		ManualTime time = new ManualTime();
		Duration timeout = Duration.ofHours(1);
		try (MqttConnection connection = new MqttConnection(
				ConnectionOptions.builder().host("127.0.0.1").port(1).startTimeout(timeout).build(),
				new ClientResources(time))) {
			connection.use(true);
			time.pass(timeout);
			// Does not wait.
			connection.start();
			assertThat(connection.isConnected()).isFalse();
		}
	}

	@Test
	void connectsAfterMissingThread() {
		ConnectionOptions options = ConnectionOptions.builder().host("127.0.0.1").port(1).build();
		Deque<ConnectionSupervisor> supervisors = new ArrayDeque<>();
		for (int i = 0; i < 2; i++) {
			supervisors.add(new ConnectionSupervisor(options, new NoLinks(), System::nanoTime, null));
		}
		ConnectionSupervisor second = supervisors.getLast();
		// Its thread cannot be started again.
		supervisors.getFirst().start();
		supervisors.getFirst().stop();
		ConnectionLifecycle lifecycle = new ConnectionLifecycle((predecessor) -> supervisors.remove());
		assertThatThrownBy(lifecycle::start).isInstanceOf(IllegalThreadStateException.class);
		assertThat(lifecycle.supervisor()).isNull();
		assertThat(lifecycle.isRunning()).isFalse();
		try {
			assertThat(lifecycle.start()).isTrue();
			assertThat(lifecycle.supervisor()).isSameAs(second);
		}
		finally {
			second.stop();
		}
	}

	/** Never connects. */
	private static final class NoLinks implements ConnectionSupervisor.Events {

		@Override
		public Link open(Link.Attempt attempt) {
			throw new IllegalStateException("test");
		}

		@Override
		public CompletableFuture<Void> prepare(Link link) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void connected(Link link, boolean reconnect) {
		}

		@Override
		public void disconnected(String cause) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Client {

		@Bean
		StateStoreConnection connection(StateStoreBroker broker) {
			return new StateStoreConnection(ConnectionOptions.builder()
				.host("127.0.0.1")
				.port(broker.port())
				.startTimeout(Duration.ofSeconds(20))
				.build());
		}

		@Bean
		StateStoreTemplate template(StateStoreConnection connection) {
			return new StateStoreTemplate(connection);
		}

	}

	static class EarlyAndLate implements InitializingBean, DisposableBean {

		private final StateStoreTemplate template;

		private @Nullable Optional<String> last;

		EarlyAndLate(StateStoreTemplate template) {
			this.template = template;
		}

		@Override
		public void afterPropertiesSet() {
			this.template.set("key", "early");
		}

		@Override
		public void destroy() {
			this.last = this.template.get("key", String.class).map(Entry::value);
		}

	}

}
