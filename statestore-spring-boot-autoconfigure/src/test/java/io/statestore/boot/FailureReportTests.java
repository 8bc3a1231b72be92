package io.statestore.boot;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.statestore.boot.dafka.DafkaAutoConfiguration;
import io.statestore.boot.dafka.DafkaTowerBuilderCustomizer;
import io.statestore.boot.dafka.EmbeddedDafkaAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.lock.annotation.Locked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Failure reports of applications that cannot start. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
@Isolated("captures the log")
class FailureReportTests {

	private static final Map<String, Object> DEFAULTS = Map.of("statestore.start-timeout", "0s", "statestore.port",
			"1");

	private static final ApplicationContextRunner BROKER = runner(SslAutoConfiguration.class,
			EmbeddedStateStoreAutoConfiguration.class)
		.withPropertyValues("statestore.embedded.enabled=true");

	private static final ApplicationContextRunner CLIENT = runner(SslAutoConfiguration.class,
			StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class,
			StateStoreLeaderAutoConfiguration.class);

	private static ApplicationContextRunner runner(Class<?>... configurations) {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(configurations));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"statestore.embedded.port=99999 | 'statestore.embedded.port' | '99999' | 0 to 65535",
			"statestore.embedded.max-keys=0 | 'statestore.embedded.max-keys' | '0' | at least 1",
			"statestore.embedded.max-keys=-1 | 'statestore.embedded.max-keys' | '-1' | at least 1",
			"statestore.embedded.max-keys=1000000000000 | 'statestore.embedded.max-keys' | '1000000000000' | -Xmx",
			"statestore.embedded.max-size=0B | 'statestore.embedded.max-size' | '0B' | at least 1",
			"statestore.embedded.max-size=-1B | 'statestore.embedded.max-size' | '-1B' | at least 1",
			"statestore.embedded.max-size=1000TB | 'statestore.embedded.max-size' | '1000TB' | -Xmx",
			"statestore.embedded.ssl.bundle=nowhere | 'statestore.embedded.ssl.bundle' | 'nowhere' | spring.ssl.bundle",
			"statestore.embedded.ssl.client-auth=need | 'statestore.embedded.ssl.client-auth' | 'need' | Set 'statestore.embedded.ssl.bundle'",
			"statestore.embedded.host=no.such.host.invalid | 'statestore.embedded.host' | 'no.such.host.invalid' | address of this machine",
			"statestore.embedded.host=203.0.113.7 | 'statestore.embedded.host' | '203.0.113.7' | address of this machine",
			"statestore.embedded.host= | 'statestore.embedded.host' | blank | host name or address",
			"statestore.embedded.data-directory= | 'statestore.embedded.data-directory' | blank | keep all data in memory",
			"statestore.embedded.fsync=never | 'statestore.embedded.fsync' | 'never' | Set 'statestore.embedded.data-directory'",
			"statestore.embedded.persist=some | 'statestore.embedded.persist' | some | REQUESTED",
			"statestore.password=oven | 'statestore.username' | is not set. | a password is set",
			"statestore.ssl.bundle=nowhere | 'statestore.ssl.bundle' | 'nowhere' | spring.ssl.bundle",
			"statestore.host= | 'statestore.host' | blank | statestore.embedded.enabled",
			"statestore.hosts=a,b:1 | 'statestore.hosts' | 'a,b:1' | statestore.port is set as well. Set only one",
			"statestore.hosts[0]=a | 'statestore.hosts' | 'a' | statestore.port is set as well. Set only one",
			"statestore.lock.lease=1ms | 'statestore.lock.lease' | '1ms' | 100 ms to 24 h",
			"statestore.lock.key-prefix=~ | 'statestore.lock.key-prefix' | blank | printable",
			"statestore.lock.holder-name=~ | 'statestore.lock.holder-name' | blank | 1 to 256",
			"statestore.leader.role= | 'statestore.leader.role' | blank | spring.application.name",
			"statestore.leader.enabled=true | 'statestore.leader.role' | not set | spring.application.name" })
	void namesPropertyValueAndNextStep(String property, String name, String value, String hint, CapturedOutput output) {
		fail(property.startsWith("statestore.embedded") ? BROKER : CLIENT, property.replace('~', ' '));
		assertThat(report(output)).contains(name, value, hint);
	}

	/** Reports a context's failure in the same way as {@code SpringApplication}. */
	private static void fail(ApplicationContextRunner runner, String... properties) {
		ConfigurableApplicationContext[] failed = new ConfigurableApplicationContext[1];
		Map<String, Object> values = new HashMap<>(DEFAULTS);
		Stream.of(properties).map((property) -> property.split("=", 2)).forEach((pair) -> values.put(pair[0], pair[1]));
		runner.withInitializer((context) -> {
			failed[0] = context;
			context.getEnvironment().getPropertySources().addLast(new MapPropertySource("values", values));
		}).run((context) -> {
			assertThat(context).hasFailed();
			SpringFactoriesLoader.forDefaultResourceLocation()
				.load(SpringBootExceptionReporter.class,
						ArgumentResolver.of(ConfigurableApplicationContext.class, failed[0]))
				.forEach((reporter) -> reporter.reportException(Objects.requireNonNull(context.getStartupFailure())));
		});
	}

	private static SpringApplicationBuilder application(Class<?> application) {
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE).properties(DEFAULTS);
	}

	private static String report(CharSequence output) {
		assertThat(output).contains("APPLICATION FAILED TO START", "Description:", "Action:");
		String all = output.toString();
		return all.substring(all.indexOf("APPLICATION FAILED TO START"));
	}

	@ParameterizedTest
	@CsvSource({ "statestore.embedded.ssl, pem.oven.keystore.certificate, garbage.pem",
			"statestore.embedded.ssl, pem.oven.keystore.certificate, missing.pem",
			"statestore.ssl, pem.oven.truststore.certificate, garbage.pem",
			"statestore.ssl, pem.oven.truststore.certificate, missing.pem",
			"statestore.ssl, jks.oven.truststore.location, garbage.pem" })
	void namesUnusableBundle(String prefix, String property, String name, @TempDir Path directory,
			CapturedOutput output) throws Exception {
		Files.writeString(directory.resolve("garbage.pem"), "garbage");
		fail(prefix.contains("embedded") ? BROKER : CLIENT, prefix + ".bundle=oven",
				"spring.ssl.bundle." + property + '=' + directory.resolve(name));
		assertThat(report(output)).contains('\'' + prefix + ".bundle'", "'oven'", "spring.ssl.bundle");
	}

	@Test
	void namesPortInUse(CapturedOutput output) throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			String port = String.valueOf(taken.getLocalPort());
			fail(BROKER, "statestore.embedded.port=" + port);
			assertThat(report(output)).contains("'statestore.embedded.port'", port, "in use", "0 for a free port");
		}
	}

	@Test
	void namesTowerPortInUse(CapturedOutput output) throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			String port = String.valueOf(taken.getLocalPort());
			fail(runner(DafkaAutoConfiguration.class, EmbeddedDafkaAutoConfiguration.class)
				.withBean(DafkaTowerBuilderCustomizer.class, () -> (tower) -> tower.inPort(taken.getLocalPort())),
					"dafka.embedded.enabled=true");
			assertThat(report(output)).contains("Cannot listen on", port, "'dafka.'");
		}
	}

	@Test
	void namesDirectoryInUse(@TempDir Path directory, CapturedOutput output) {
		try (StateStoreBroker broker = StateStoreBroker.builder().storage(StorageOptions.in(directory)).start()) {
			assertThat(broker.durability()).isPresent();
			fail(BROKER, "statestore.embedded.data-directory=" + directory);
		}
		assertThat(report(output)).contains("'statestore.embedded.data-directory'", directory.toString(), "is in use",
				"use another directory");
		assertThat(output).doesNotContain("overwrite cause");
	}

	@Test
	void namesMethodWithoutElection(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(LeaderMethod.class), "spring.application.name=oven");
		assertThat(report(output)).contains("@LeaderOnly method", "LeaderMethod.bake()",
				"statestore.leader.enabled=true");
	}

	@Test
	void namesInvalidLockedMethod(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(LockedMethod.class));
		assertThat(report(output)).contains("@Locked method", "LockedMethod.bake()", "no parameter 'oven'",
				"-parameters");
	}

	@Test
	void namesInvalidKeyPrefix(CapturedOutput output) {
		fail(CLIENT, "statestore.key-prefix=line-*");
		assertThat(report(output)).contains("'statestore.key-prefix'", "line-*", "without *, ? and [");
	}

	@Test
	void namesInvalidDefaultExpiry(CapturedOutput output) {
		fail(CLIENT, "statestore.default-expiry=0s");
		assertThat(report(output)).contains("'statestore.default-expiry'", "1 ms to 36500 days");
	}

	@Test
	void namesInvalidListenerMethod(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(ListenerMethod.class));
		assertThat(report(output)).contains("@StateStoreListener method", "ListenerMethod.changed", "'machines/['",
				"malformed or too long pattern");
	}

	@Test
	void namesListenersWithSameId(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(SameId.class));
		assertThat(report(output)).contains("Two state store listeners", "'oven'", "SameId.opened", "SameId.closed",
				"another 'id'");
	}

	@Test
	void namesRoleOfOtherCandidate(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(OtherCandidate.class), "spring.application.name=oven",
				"statestore.leader.enabled=true");
		assertThat(report(output)).contains("'statestore.leader.role'", "'oven'", "'baker'");
	}

	@Test
	void namesPropertiesWhenLockIsUnnamed(CapturedOutput output) {
		fail(CLIENT.withUserConfiguration(LockUser.class));
		assertThat(report(output)).contains("'statestore.leader.role'", "not set", "spring.application.name");
	}

	@Test
	void namesValueOrigin(CapturedOutput output) {
		assertThat(catchThrowable(() -> application(Application.class).properties("statestore.embedded.enabled=true")
			.run("--statestore.embedded.port=99999")
			.close())).isNotNull();
		assertThat(report(output)).contains("commandLineArgs");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class })
	static class Application {

		public static void main(String[] args) {
			application(Application.class).run(args).close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LeaderMethod {

		@LeaderOnly
		void bake() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LockedMethod {

		@Locked("oven-#{#oven}")
		void bake() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ListenerMethod {

		@StateStoreListener(keys = "machines/[")
		void changed(String value) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SameId {

		@StateStoreListener(id = "oven", keys = "opened")
		void opened(String value) {
		}

		@StateStoreListener(id = "oven", keys = "closed")
		void closed(String value) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherCandidate {

		@Bean
		Candidate candidate() {
			return new DefaultCandidate("1", "baker");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LockUser {

		@Bean
		Runnable lockUser(DistributedLock lock) {
			return lock::lock;
		}

	}

}
