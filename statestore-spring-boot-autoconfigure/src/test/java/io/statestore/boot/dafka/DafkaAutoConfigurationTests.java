package io.statestore.boot.dafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.node.internal.KeyDirectory;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.spring.DafkaListenerOptions;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.DafkaValueConverter;
import io.statestore.dafka.spring.EnableDafka;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

class DafkaAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedDafkaAutoConfiguration.class,
				DafkaAutoConfiguration.class));

	private final ApplicationContextRunner embedded = this.contextRunner
		.withPropertyValues("dafka.embedded.enabled=true");

	@Test
	void startsNoNodeWithoutUse() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(DafkaTemplate.class)
				.hasSingleBean(DafkaListenerRegistry.class)
				.hasSingleBean(DafkaValueConverter.class)
				.doesNotHaveBean(Tower.class)
				.doesNotHaveBean(Store.class);
			assertThat(started(context.getBeanFactory(), Producer.class)).isFalse();
		});
	}

	@Test
	void startsProducerWithFirstRecord() {
		this.embedded.run((context) -> {
			assertThat(context).hasSingleBean(Tower.class).hasSingleBean(Store.class);
			assertThat(started(context.getBeanFactory(), Producer.class)).isFalse();
			assertThat(context.getBean(DafkaTemplate.class).send("topic", "value"))
				.succeedsWithin(Duration.ofSeconds(30));
			assertThat(started(context.getBeanFactory(), Producer.class)).isTrue();
			assertThat(context.getBean(Store.class).metrics().stored()).isEqualTo(1);
		});
	}

	@Test
	void encryptsConnections(@TempDir Path directory) {
		KeyDirectory keys = new KeyDirectory(directory);
		keys.create(List.of("tower"), false);
		ApplicationContextRunner encrypted = this.embedded.withPropertyValues(
				"dafka.curve.key-file=" + keys.secretKey("tower"), "dafka.curve.peers-file=" + keys.peers());
		encrypted.run((context) -> {
			assertThat(context.getBean(DafkaTemplate.class).send("topic", "value"))
				.succeedsWithin(Duration.ofSeconds(30));
			assertThat(context.getBean(DafkaNodes.class).node().curve()).isNotNull();
		});
		encrypted.withPropertyValues("dafka.curve.key-file=" + directory.resolve("missing"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
					assertThat(ex.getName()).isEqualTo("dafka.curve.key-file");
					assertThat(ex.getReason()).contains("dafka keys");
				}));
		this.embedded.withPropertyValues("dafka.curve.peers-file=" + keys.peers())
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(ex) -> assertThat(ex.getName()).isEqualTo("dafka.curve.key-file")));
	}

	@Test
	void namesDependencyForEncryption(@TempDir Path directory) {
		KeyDirectory keys = new KeyDirectory(directory);
		keys.create(List.of("tower"), false);
		this.embedded.withClassLoader(new FilteredClassLoader("org.bouncycastle"))
			.withPropertyValues("dafka.curve.key-file=" + keys.secretKey("tower"),
					"dafka.curve.peers-file=" + keys.peers())
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining("dafka.curve.key-file")
				.hasStackTraceContaining("org.bouncycastle:bcprov-jdk18on"));
	}

	@Test
	void prefersEmbeddedTowerToConfiguredTowers() {
		this.embedded.withPropertyValues("dafka.towers=tower.factory.example")
			.run((context) -> assertThat(context.getBean(DafkaConnectionDetails.class).getTowers())
				.containsExactly(context.getBean(Tower.class).address()));
	}

	@Test
	void embeddedTowerCanHaveNoStore() {
		this.embedded.withPropertyValues("dafka.store.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(Tower.class).doesNotHaveBean(Store.class));
	}

	@Test
	void startsStoreWithoutEmbeddedTower(@TempDir Path directory) {
		this.contextRunner
			.withPropertyValues("dafka.store.enabled=true", "dafka.store.directory=" + directory,
					"dafka.store.retention-time=1d", "dafka.store.retention-size=1GB", "dafka.store.fsync=batch")
			.run((context) -> {
				assertThat(context).hasSingleBean(Store.class).doesNotHaveBean(Tower.class);
				assertThat(directory).isNotEmptyDirectory();
			});
	}

	@Test
	void readsTowers() {
		this.contextRunner.withPropertyValues("dafka.towers=one.local,two.local:1:2,[::1]:3:4")
			.run((context) -> assertThat(context.getBean(DafkaConnectionDetails.class).getTowers()).containsExactly(
					TowerAddress.of("one.local"), new TowerAddress("two.local", 1, 2),
					new TowerAddress("[::1]", 3, 4)));
	}

	@Test
	void usesApplicationListenerOptions() {
		DafkaListenerOptions options = new DafkaListenerOptions(false, 7, Duration.ofSeconds(2), Duration.ofSeconds(3));
		this.contextRunner.withBean(DafkaListenerOptions.class, () -> options)
			.run((context) -> assertThat(context.getBean(DafkaListenerRegistry.class).isAutoStartup()).isFalse());
	}

	@Test
	void customizesNodes() throws Exception {
		int port = freePort();
		this.embedded.withBean(DafkaNodeBuilderCustomizer.class, () -> (node) -> node.linger(Duration.ofMillis(7)))
			.withBean(DafkaStoreBuilderCustomizer.class, () -> (store) -> store.bindPort(port))
			.withBean(DafkaProducerBuilderCustomizer.class, () -> (producer) -> producer.memory(2048))
			.withBean(DafkaConsumerBuilderCustomizer.class, () -> (consumer) -> consumer.topics("custom"))
			.withBean(DafkaTowerBuilderCustomizer.class, () -> (tower) -> tower.bindHost("localhost"))
			.run((context) -> {
				assertThat(context.getBean(DafkaNodes.class).node().linger()).hasMillis(7);
				assertThat(context.getBean(Store.class).port()).isEqualTo(port);
				assertThat(context.getBean(Tower.class).address().host()).isEqualTo("localhost");
				assertThat(context.getBean(DafkaTemplate.class).send("topic", new byte[1920]))
					.succeedsWithin(Duration.ofSeconds(30));
				try (Consumer consumer = context.getBean(DafkaConsumerFactory.class).consumer("id").start((record) -> {
				})) {
					assertThat(consumer.partitions()).isEmpty();
				}
			});
	}

	@Test
	void namesInvalidProperty() {
		failing("dafka.towers=", "dafka.towers", "dafka.embedded.enabled");
		failing("dafka.towers=tower:5556", "dafka.towers", "tower:5556", "host:in-port:out-port");
		failing("dafka.towers=tower:0:70000", "dafka.towers", "host:in-port:out-port");
		failing("dafka.bind-host=two hosts", "dafka.bind-host");
		failing("dafka.advertised-host=two hosts", "dafka.advertised-host");
		failing("dafka.consumer.offset-reset=first", "dafka.consumer.offset-reset");
		failing("dafka.consumer.partition-discovery-interval=0s", "dafka.consumer.partition-discovery-interval");
		failing("dafka.store.retention-time=0s", "dafka.store.retention-time", "positive");
	}

	@Test
	void namesPortInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			this.embedded
				.withBean(DafkaTowerBuilderCustomizer.class, () -> (tower) -> tower.inPort(taken.getLocalPort()))
				.run((context) -> assertThat(context.getStartupFailure())
					.hasStackTraceContaining(String.valueOf(taken.getLocalPort())));
		}
	}

	@Test
	void namesDependencyForStoreOnDisk(@TempDir Path directory) {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.rocksdb"))
			.withPropertyValues("dafka.store.enabled=true", "dafka.store.directory=" + directory)
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining("dafka.store.directory")
				.hasStackTraceContaining("org.rocksdb:rocksdbjni"));
	}

	@Test
	void backsOffForApplicationBeans() {
		this.contextRunner.withUserConfiguration(Own.class)
			.withBean(DafkaConsumerFactory.class, () -> (id) -> Consumer.builder(NodeOptions.tower("localhost")))
			.withBean("mine", DafkaTemplate.class, () -> new DafkaTemplate(() -> {
				throw new IllegalStateException();
			}, null))
			.run((context) -> assertThat(context).hasSingleBean(DafkaTemplate.class)
				.hasBean("mine")
				.hasSingleBean(DafkaConsumerFactory.class)
				.hasSingleBean(DafkaListenerRegistry.class));
	}

	@Test
	void worksWithoutJackson() {
		this.embedded.withClassLoader(new FilteredClassLoader("tools.jackson")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(DafkaValueConverter.class);
			assertThat(context.getBean(DafkaTemplate.class).send("topic", "value"))
				.succeedsWithin(Duration.ofSeconds(30));
		});
	}

	@Test
	void bindsMeters() {
		this.contextRunner.run((context) -> {
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			context.getBean(DafkaMetrics.class).bindTo(meters);
			assertThat(meters.get("dafka.producer.sent").functionCounter().count()).isZero();
			assertThat(started(context.getBeanFactory(), Producer.class)).isFalse();
		});
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("dafkaMetrics"));
	}

	@Test
	void needsSpringMessaging() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(Message.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DafkaTemplate.class));
	}

	@Test
	void sendsWithoutListenerSupport() {
		this.embedded.withClassLoader(new FilteredClassLoader("io.statestore.listener")).run((context) -> {
			assertThat(context).hasNotFailed()
				.doesNotHaveBean(DafkaListenerRegistry.class)
				.doesNotHaveBean("dafkaMetrics");
			assertThat(context.getBean(DafkaTemplate.class).send("topic", "value"))
				.succeedsWithin(Duration.ofSeconds(30));
		});
	}

	@Test
	void worksWithoutStateStore() {
		new ApplicationContextRunner().withClassLoader(new FilteredClassLoader("io.statestore.client"))
			.withConfiguration(
					AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
							EmbeddedDafkaAutoConfiguration.class, DafkaAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DafkaTemplate.class)
				.doesNotHaveBean(StateStoreTemplate.class)
				.doesNotHaveBean(StateStoreConnection.class));
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private void failing(String property, String... parts) {
		this.contextRunner.withPropertyValues(property).run((context) -> {
			Throwable failure = Objects.requireNonNull(context.getStartupFailure(), property);
			for (String part : parts) {
				assertThat(failure).hasStackTraceContaining(part);
			}
		});
	}

	private static boolean started(ConfigurableListableBeanFactory beanFactory, Class<?> type) {
		return !new StartedBeans(beanFactory).of(type).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDafka
	static class Own {

	}

}
