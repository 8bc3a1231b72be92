package io.statestore.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EmbeddedStateStoreAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "statestore.service-account-token-file", "statestore.username" })
	void ignoresLoginForOtherBroker(String property) {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s",
					property + "=/var/run/secrets/token")
			.run((context) -> assertThat(context.getBean(StateStoreConnection.class).isConnected()).isTrue());
	}

	@Test
	void appliesRulesFile(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("rules"), "everyone read,write key permitted");
		this.contextRunner.withPropertyValues("statestore.embedded.rules-file=" + file).run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("permitted", "value");
			assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> template.set("denied", "value"))
				.withMessageContaining("not authorized");
		});
	}

	@Test
	void appliesAuthorizerBean() {
		this.contextRunner
			.withBean(Authorizer.class,
					() -> (client) -> client.clientId().equals("admin") ? Permissions.ALL : new ReadOnly())
			.run((context) -> {
				StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
				assertThat(template.get("key", String.class)).isEmpty();
				assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> template.set("key", "value"))
					.withMessageContaining("not authorized");
			});
	}

	@Test
	void namesPropertyWhenRulesFileIsInvalid(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("rules"), "everyone reed key a");
		this.contextRunner.withPropertyValues("statestore.embedded.rules-file=" + file).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.embedded.rules-file");
					assertThat(failure.getReason()).contains("line 1: unknown action 'reed'");
				});
		});
	}

	/** An empty value must not permit everything. */
	@Test
	void refusesEmptyRulesFileName() {
		this.contextRunner.withPropertyValues("statestore.embedded.rules-file=")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(failure) -> assertThat(failure.getName()).isEqualTo("statestore.embedded.rules-file")));
	}

	@Test
	void refusesRulesFileWithAuthorizerBean() {
		this.contextRunner.withBean(Authorizer.class, () -> (client) -> Permissions.ALL)
			.withPropertyValues("statestore.embedded.rules-file=rules")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("statestore.embedded.rules-file"));
	}

	private static final class ReadOnly implements Permissions {

		@Override
		public boolean mayRead(Bytes key) {
			return true;
		}

		@Override
		public boolean mayWrite(Bytes key) {
			return false;
		}

		@Override
		public boolean maySubscribe(String filter) {
			return false;
		}

		@Override
		public boolean mayPublish(String topic) {
			return false;
		}

		@Override
		public boolean mayAdminister() {
			return false;
		}

	}

	@Test
	void customizersAddToLimitsFromProperties() {
		this.contextRunner.withUserConfiguration(BrokerConfiguration.class)
			.withPropertyValues("statestore.embedded.max-keys=20000")
			.run((context) -> {
				StoreStatistics store = context.getBean(StateStoreBroker.class).statistics().store();
				assertThat(store.maxKeys()).isEqualTo(20_000);
				assertThat(store.maxReplyBytes()).isEqualTo(4 * 1024 * 1024);
			});
	}

	@Test
	void namesOptionSetByCustomizer() {
		this.contextRunner
			.withBean(StateStoreBrokerBuilderCustomizer.class, () -> (builder) -> builder.maxConnectionsPerAddress(0))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidOptionException.class)
				.hasMessageContaining("'maxConnectionsPerAddress' must be at least 1, but is 0"));
	}

	@Test
	void isOptIn() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(StateStoreBroker.class));
	}

	@Test
	void storesAndReadsBack() {
		this.contextRunner.run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("ovens/1", new Oven(180, "on"));
			assertThat(template.get("ovens/1", Oven.class)).map(Entry::value).contains(new Oven(180, "on"));
		});
	}

	@Test
	void takesPrecedenceOverHostProperty() {
		this.contextRunner.withPropertyValues("statestore.host=broker.factory.example", "statestore.port=8883")
			.run((context) -> {
				int port = context.getBean(StateStoreBroker.class).port();
				assertThat(context.getBean(StateStoreConnection.class).options().url())
					.isEqualTo("mqtt://localhost:" + port);
			});
	}

	@Test
	void worksAfterStopAndStart() {
		this.contextRunner.run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("key", "value");
			context.stop();
			context.start();
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
		});
	}

	@Test
	void namesMissingDependency() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(StateStoreBroker.class)).run((context) -> {
			assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContainingAll("statestore.embedded.enabled", "io.statestore:statestore-broker");
		});
	}

	@Test
	void namesPortInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			this.contextRunner.withPropertyValues("statestore.embedded.port=" + taken.getLocalPort())
				.run((context) -> assertThat(context.getStartupFailure())
					.hasStackTraceContaining(String.valueOf(taken.getLocalPort())));
		}
	}

	record Oven(double celsius, String state) {
	}

	@Configuration(proxyBeanMethods = false)
	static class BrokerConfiguration {

		@Bean
		StateStoreBrokerBuilderCustomizer limits() {
			return (builder) -> builder.limits((limits) -> limits.withReplyMemory(4 * 1024 * 1024))
				.principalLimits((limits) -> limits.withMaxKeys(10_000))
				.maxPacketSize(1024 * 1024);
		}

	}

}
