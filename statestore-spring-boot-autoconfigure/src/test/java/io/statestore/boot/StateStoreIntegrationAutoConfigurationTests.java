package io.statestore.boot;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import io.statestore.test.JavaProcess;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.mqtt.core.ClientManager;
import org.springframework.integration.mqtt.core.Mqttv5ClientManager;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Isolated("looks at all threads")
class StateStoreIntegrationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.client-id=press-1",
				"statestore.start-timeout=10s")
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
				StateStoreAutoConfiguration.class, StateStoreIntegrationAutoConfiguration.class));

	@Test
	void connectsOnlyIfUsed() {
		this.contextRunner.run((context) -> {
			StateStoreClientManager clientManager = context.getBean("stateStoreClientManager",
					StateStoreClientManager.class);
			assertThat(clientManager.isRunning()).isTrue();
			assertThat(Thread.getAllStackTraces().keySet())
				.noneMatch((thread) -> thread.getName().endsWith("press-1-integration"));
			assertThat(clientManager.getClientId()).isEqualTo("press-1-integration");
			assertThat(clientManager.isManualAcks()).isFalse();
		});
	}

	@Test
	void startsWithoutSpringIntegrationAdapters() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.integration.mqtt"))
			.run((context) -> {
				assertThat(context).doesNotHaveBean("stateStoreClientManager");
				context.getBean(StateStoreOperations.class).set("key", "value");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring-integration-mqtt", "org.eclipse.paho" })
	void startsWithoutJarsOfAdapters(String jar) {
		try (JavaProcess application = JavaProcess.of(Application.class)
			.withoutClassPathEntries((entry) -> entry.contains(jar))
			.arguments("--statestore.embedded.enabled=true")
			.start()) {
			assertThat(application.awaitExit()).as(() -> application.output() + application.errors()).isZero();
			assertThat(application.output()).contains("Read value");
		}
	}

	@Test
	void adaptersSendAndReceiveAlongsideCalls() {
		this.contextRunner.withUserConfiguration(Adapters.class).run((context) -> {
			Adapters adapters = context.getBean(Adapters.class);
			MessageChannel outgoing = context.getBean("outgoing", MessageChannel.class);
			await().untilAsserted(() -> {
				outgoing.send(new GenericMessage<>("21.5"));
				assertThat(adapters.received).contains("21.5");
			});
			context.getBean(StateStoreOperations.class).set("key", "value");
			long start = System.nanoTime();
			context.close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
		});
	}

	@Test
	void bindsProperties() {
		this.contextRunner
			.withPropertyValues("statestore.integration.client-id=adapters", "statestore.integration.manual-acks=true",
					"statestore.integration.session-expiry=1d")
			.run((context) -> {
				StateStoreClientManager clientManager = context.getBean(StateStoreClientManager.class);
				assertThat(clientManager.getClientId()).isEqualTo("adapters");
				assertThat(clientManager.isManualAcks()).isTrue();
			});
	}

	@Test
	void connectsWithStateStoreClientTls() {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=false", "statestore.ssl.enabled=true",
					"statestore.start-timeout=0s")
			.run((context) -> assertThat(context.getBean(StateStoreClientManager.class).getUrl())
				.isEqualTo("mqtts://localhost:8883"));
	}

	@ParameterizedTest
	@CsvSource({ "client-id, press-1, differ from", "client-id, a+b, without '+'", "session-expiry, 10ms, PT1S to" })
	void namesInvalidProperty(String property, String value, String reason) {
		this.contextRunner.withPropertyValues("statestore.integration." + property + '=' + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.integration." + property);
					assertThat(failure.getReason()).contains(reason);
				}));
	}

	@Test
	void prefersApplicationClientManager() {
		this.contextRunner.withUserConfiguration(OwnClientManager.class).run((context) -> {
			assertThat(context.getBean(ClientManager.class)).isInstanceOf(Mqttv5ClientManager.class);
			assertThat(context).hasSingleBean(StateStoreClientManager.class);
		});
	}

	@Test
	void staysWithSecondClientManager() {
		this.contextRunner.withBean("second", StateStoreClientManager.class, () -> clientManager("second"))
			.run((context) -> {
				assertThat(context.getBeanNamesForType(StateStoreClientManager.class))
					.containsExactlyInAnyOrder("second", "stateStoreClientManager");
				assertThat(context.getBean(StateStoreClientManager.class).getClientId()).isEqualTo("second");
			});
	}

	@Test
	void backsOffForBeanWithSameName() {
		this.contextRunner
			.withBean("stateStoreClientManager", StateStoreClientManager.class, () -> clientManager("own"))
			.run((context) -> assertThat(context.getBean(StateStoreClientManager.class).getClientId())
				.isEqualTo("own"));
	}

	private static StateStoreClientManager clientManager(String clientId) {
		return new StateStoreClientManager(ConnectionOptions.builder().clientId(clientId).build());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Adapters {

		final List<String> received = new CopyOnWriteArrayList<>();

		@Bean
		DirectChannel readings() {
			DirectChannel channel = new DirectChannel();
			channel.subscribe(
					(message) -> this.received.add(new String((byte[]) message.getPayload(), StandardCharsets.UTF_8)));
			return channel;
		}

		@Bean
		Mqttv5PahoMessageDrivenChannelAdapter inbound(
				ClientManager<IMqttAsyncClient, MqttConnectionOptions> clientManager, DirectChannel readings) {
			Mqttv5PahoMessageDrivenChannelAdapter adapter = new Mqttv5PahoMessageDrivenChannelAdapter(clientManager,
					"sensors/#");
			adapter.setOutputChannel(readings);
			return adapter;
		}

		@Bean
		DirectChannel outgoing() {
			return new DirectChannel();
		}

		@Bean
		@ServiceActivator(inputChannel = "outgoing")
		Mqttv5PahoMessageHandler outbound(ClientManager<IMqttAsyncClient, MqttConnectionOptions> clientManager) {
			Mqttv5PahoMessageHandler handler = new Mqttv5PahoMessageHandler(clientManager);
			handler.setDefaultTopic("sensors/oven");
			return handler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		public static void main(String[] args) {
			try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
				StateStoreOperations store = context.getBean(StateStoreOperations.class);
				store.set("key", "value");
				System.out.println("Read " + store.get("key", String.class).orElseThrow().value());
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClientManager {

		@Bean
		Mqttv5ClientManager ownClientManager() {
			return new Mqttv5ClientManager("tcp://127.0.0.1:1", "own") {

				@Override
				public boolean isAutoStartup() {
					return false;
				}

			};
		}

	}

}
