package io.statestore.boot;

import java.io.OutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.history.StateHistory;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.DisconnectedBehavior;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StateStoreAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void providesConnectionInvokerAndTemplate() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(StateStoreConnection.class)
			.hasSingleBean(ClientResources.class)
			.hasSingleBean(CommandInvoker.class)
			.hasSingleBean(StateStoreTemplate.class)
			.hasSingleBean(StateStoreAsyncOperations.class)
			.hasSingleBean(StateHistory.class)
			.hasSingleBean(JacksonValueConverter.class));
	}

	@Test
	void startsWithoutBroker() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(StateStoreConnection.class).isConnected()).isFalse();
		});
	}

	@Test
	void connectsToLocalhostByDefault() {
		this.contextRunner.withPropertyValues("statestore.port=")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtt://localhost:1883"));
	}

	@Test
	void appliesConnectionProperties() {
		this.contextRunner
			.withPropertyValues("statestore.host=broker.example", "statestore.port=2883",
					"statestore.client-id=press-1", "statestore.username=anna", "statestore.password=secret",
					"statestore.connect-timeout=1s", "statestore.request-timeout=2s", "statestore.keep-alive=3s",
					"statestore.reconnect.max-delay=5s", "statestore.max-in-flight=6", "statestore.max-pending=7",
					"statestore.disconnected-behavior=fail")
			.run((context) -> {
				ConnectionOptions options = options(context.getBean(StateStoreConnection.class));
				assertThat(options.url()).isEqualTo("mqtt://broker.example:2883");
				assertThat(options.clientId()).isEqualTo("press-1");
				assertThat(options.username()).isEqualTo("anna");
				assertThat(password(options)).isEqualTo("secret");
				assertThat(options.connectTimeout()).hasSeconds(1);
				assertThat(options.requestTimeout()).hasSeconds(2);
				assertThat(options.keepAlive()).hasSeconds(3);
				assertThat(options.reconnectInitialDelay()).hasMillis(100);
				assertThat(options.reconnectMaxDelay()).hasSeconds(5);
				assertThat(options.maxInFlight()).isEqualTo(6);
				assertThat(options.maxPending()).isEqualTo(7);
				assertThat(options.disconnectedBehavior()).isEqualTo(DisconnectedBehavior.FAIL);
			});
	}

	@Test
	void appliesHosts() {
		this.contextRunner.withPropertyValues("statestore.port=", "statestore.hosts= a , b:1884,[::1]")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtt://a:1883,b:1884,[::1]:1883"));
		this.contextRunner
			.withPropertyValues("statestore.port=", "statestore.ssl.enabled=true", "statestore.hosts[0]=a",
					"statestore.hosts[1]=b:1884")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtts://a:8883,b:1884"));
	}

	@Test
	void blankPropertiesAreNotSet() {
		this.contextRunner.withPropertyValues("statestore.port=", "statestore.host=", "statestore.hosts=a")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtt://a:1883"));
		this.contextRunner.withPropertyValues("statestore.hosts=")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtt://localhost:1"));
	}

	@ParameterizedTest
	@CsvSource({ "statestore.port=1, statestore.port", "statestore.host=localhost, statestore.host" })
	void refusesHostsWithHostOrPort(String property, String name) {
		this.contextRunner.withPropertyValues("statestore.port=", property, "statestore.hosts=a,b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.hosts");
					assertThat(failure.getValue()).isEqualTo("a,b");
					assertThat(failure.getReason())
						.isEqualTo("The property " + name + " is set as well. Set only one of them");
				}));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "a,,b | must not contain blank entries", "a,a:1883 | Remove one 'a:1883'",
			"a,::1 | Write the IPv6 address '::1' in brackets", "mqtt://a | Remove the scheme", "a:0 | 1 to 65535" })
	void namesInvalidHosts(String hosts, String hint) {
		this.contextRunner.withPropertyValues("statestore.port=", "statestore.hosts=" + hosts)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.hosts");
					assertThat(failure.getReason()).contains(hint);
				}));
	}

	@Test
	void usesTlsPortIfEnabled() {
		this.contextRunner.withPropertyValues("statestore.port=", "statestore.ssl.enabled=true")
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtts://localhost:8883"));
	}

	@Test
	void requiresUsernameIfPasswordIsSet() {
		this.contextRunner.withPropertyValues("statestore.password=secret")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.username");
					assertThat(failure.getReason()).isEqualTo("It must be set, because a password is set.");
				}));
	}

	@Test
	void requiresUsernameIfPasswordFileIsSet() {
		this.contextRunner.withPropertyValues("statestore.password-file=password")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(failure) -> assertThat(failure.getName()).isEqualTo("statestore.username")));
	}

	@Test
	void refusesPasswordAndItsFile() {
		this.contextRunner
			.withPropertyValues("statestore.username=anna", "statestore.password=secret",
					"statestore.password-file=password")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.password-file");
					assertThat(failure.getReason()).contains("statestore.password is set as well");
				}));
	}

	@Test
	void readsSecretsFromFilesForEachConnection(@TempDir Path directory) throws Exception {
		Path password = directory.resolve("password");
		Path token = directory.resolve("token");
		this.contextRunner
			.withPropertyValues("statestore.username=anna", "statestore.password-file=" + password,
					"statestore.service-account-token-file=" + token)
			.run((context) -> {
				ConnectionOptions options = options(context.getBean(StateStoreConnection.class));
				assertThatThrownBy(() -> password(options)).isInstanceOf(StateStoreException.class)
					.hasMessageContaining("'" + password + "' of the property 'statestore.password-file'")
					.hasMessageContaining("does not exist");
				Files.writeString(password, "\n");
				assertThatThrownBy(() -> password(options)).hasMessageContaining("begins with an empty line");
				Files.writeString(password, "p\u00e4ss word\r\nsecond line");
				assertThat(password(options)).isEqualTo("p\u00e4ss word");
				Files.writeString(password, "next");
				assertThat(password(options)).isEqualTo("next");
				Files.writeString(token, "a.b.c\n");
				var authentication = Objects.requireNonNull(options.authentication());
				assertThat(authentication.data().get()).asString().isEqualTo("a.b.c");
				assertThat(authentication.checkInterval()).hasSeconds(5);
			});
	}

	@Test
	void customizesAuthenticationAsDocumented() {
		this.contextRunner.withUserConfiguration(LoginConfiguration.class)
			.withBean(Supplier.class, () -> () -> "token")
			.run((context) -> {
				var authentication = options(context.getBean(StateStoreConnection.class)).authentication();
				assertThat(Objects.requireNonNull(authentication).method()).isEqualTo("PLANT-TOKEN");
				assertThat(authentication.data().get()).asString().isEqualTo("token");
			});
	}

	private static String password(ConnectionOptions options) {
		return Objects.requireNonNull(options.password()).get();
	}

	@Test
	void mentionsCustomizersIfOptionIsInvalid() {
		this.contextRunner.withBean(ConnectionOptionsBuilderCustomizer.class, () -> (builder) -> builder.maxInFlight(0))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("statestore.max-in-flight")
				.hasMessageContaining("A ConnectionOptionsBuilderCustomizer may have changed the option."));
	}

	@Test
	void namesMissingSslBundle() {
		this.contextRunner.withPropertyValues("statestore.ssl.bundle=nowhere")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("SSL bundle name 'nowhere' cannot be found"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "statestore.port | 0 | 1 to 65535", "statestore.port | 99999 | 1 to 65535",
					"statestore.host | '' | name the MQTT broker", "statestore.client-id | a+b | without '+'",
					"statestore.connect-timeout | 0s | PT0.001S", "statestore.request-timeout | -1s | PT0.001S",
					"statestore.keep-alive | 1500ms | whole number of seconds", "statestore.start-timeout | -1s | PT0S",
					"statestore.reconnect.max-delay | 0s | PT0.001S", "statestore.max-in-flight | 0 | 1 to 65000",
					"statestore.max-pending | 0 | 1 to 2147483647",
					"statestore.listener.queue-capacity | 0 | at least 1", "statestore.listener.renewal | 1ms | PT1S" })

	void namesInvalidProperty(String property, String value, String hint) {
		this.contextRunner.withPropertyValues(property + "=" + value).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo(property);
					assertThat(failure.getReason()).contains(hint);
				});
		});
	}

	@Test
	void hidesPassword() {
		this.contextRunner.withPropertyValues("statestore.password=secret")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().message().doesNotContain("secret"));
	}

	@Test
	void prefersApplicationConnectionDetails() {
		this.contextRunner
			.withBean(StateStoreConnectionDetails.class,
					() -> new EmbeddedStateStoreAutoConfiguration.EmbeddedConnectionDetails("elsewhere", 7,
							new EmbeddedLogin(
									new Binder().bindOrCreate("statestore.embedded", EmbeddedProperties.class),
									List.of()),
							null))
			.run((context) -> assertThat(options(context.getBean(StateStoreConnection.class)).url())
				.isEqualTo("mqtt://elsewhere:7"));
	}

	@Test
	void backsOffForApplicationBeans() {
		this.contextRunner.withUserConfiguration(OwnBeans.class)
			.run((context) -> assertThat(context).doesNotHaveBean(JacksonValueConverter.class)
				.hasSingleBean(StateStoreOperations.class)
				.hasBean("stateStoreTemplate"));
	}

	@Test
	void worksWithoutJackson() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
			.run((context) -> assertThat(context).hasSingleBean(StateStoreTemplate.class)
				.doesNotHaveBean(ValueConverter.class));
	}

	private static ConnectionOptions options(StateStoreConnection connection) {
		return connection.options();
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		CommandInvoker stateStoreCommandInvoker() {
			return (command, options) -> {
				throw new UnsupportedOperationException();
			};
		}

		@Bean
		ValueConverter ownConverter() {
			return new OwnConverter();
		}

		@Bean
		StateStoreTemplate stateStoreTemplate(@Qualifier("stateStoreCommandInvoker") CommandInvoker invoker) {
			return new StateStoreTemplate(invoker);
		}

	}

	static class OwnConverter implements ValueConverter {

		@Override
		public void write(Object value, OutputStream target) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object read(Bytes value, Type type) {
			return Map.of();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LoginConfiguration {

		@Bean
		ConnectionOptionsBuilderCustomizer login(Supplier<String> tokens) {
			return (builder) -> builder.authentication(new ConnectionOptions.EnhancedAuthentication("PLANT-TOKEN",
					() -> tokens.get().getBytes(StandardCharsets.UTF_8)));
		}

	}

}
