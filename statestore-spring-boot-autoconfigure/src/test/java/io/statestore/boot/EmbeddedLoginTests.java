package io.statestore.boot;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.PasswordHash;
import io.statestore.client.StateStoreTemplate;
import io.statestore.test.DocumentedSnippets;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedLoginTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@TempDir
	private Path directory;

	@Test
	void acceptsUsersFromFileAndOwnClient() throws Exception {
		Path users = Files.writeString(this.directory.resolve("users"), "ada:" + PasswordHash.of("a", 10).text());
		this.contextRunner.withPropertyValues("statestore.embedded.users-file=" + users).run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			assertThat(template.set("a", "b")).isNotNull();
			int port = context.getBean(StateStoreBroker.class).port();
			assertThat(reason(port, "ada", "a")).isZero();
			assertThat(reason(port, "ada", "b")).isEqualTo(0x86);
			assertThat(reason(port, null, null)).isEqualTo(0x86);
			assertThat(reason(port, "application", "x")).isEqualTo(0x86);
		});
	}

	@Test
	void consultsAuthenticatorBeans() {
		this.contextRunner.withUserConfiguration(Logins.class)
			.withPropertyValues("statestore.embedded.anonymous=loopback")
			.run((context) -> {
				int port = context.getBean(StateStoreBroker.class).port();
				assertThat(reason(port, "badge-1", "badge")).isZero();
				assertThat(reason(port, "badge-1", "x")).isEqualTo(0x86);
			});
	}

	@Test
	void snippetIsInThisClass() throws Exception {
		DocumentedSnippets.assertAllIn("security.md", 1, EmbeddedLoginTests.class);
	}

	@Test
	void refusesMissingUsersFile() {
		this.contextRunner.withPropertyValues("statestore.embedded.users-file=/none")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("statestore.embedded.users-file")
				.hasMessageContaining("/none does not exist"));
	}

	private static int reason(int port, @Nullable String user, @Nullable String password) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(port)) {
			return client.connect(RawConnect.of("c1").login(user, password)).reason();
		}
	}

	interface BadgeService {

		boolean isValid(String name, byte @Nullable [] secret);

	}

	@Configuration(proxyBeanMethods = false)
	static class Logins {

		@Bean
		BadgeService badgeService() {
			return (name, secret) -> Arrays.equals(secret, "badge".getBytes(StandardCharsets.UTF_8));
		}

		@Bean
		Authenticator badges(BadgeService service) {
			return (credentials) -> {
				if (credentials.userName() == null || !credentials.userName().startsWith("badge-")) {
					return null; // not responsible
				}
				if (!service.isValid(credentials.userName(), credentials.password())) {
					throw new AuthenticationException("unknown badge");
				}
				return Authentication.of(credentials.userName());
			};
		}

	}

}
