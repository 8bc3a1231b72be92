package io.statestore.boot;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** The embedded broker when Spring Boot DevTools restarts the application. */
@Timeout(120)
class DevToolsTests {

	private static final String CLASSES = DevToolsApplication.class.getPackageName().replace('.', '/');

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class))
		.withPropertyValues("statestore.embedded.enabled=true");

	@Test
	void restartByDevToolsKeepsContentOfStore(@TempDir Path directory) throws IOException {
		Path classes = Files.createDirectories(directory.resolve(CLASSES));
		FileSystemUtils.copyRecursively(
				Path.of("target/test-classes", CLASSES, DevToolsApplication.class.getSimpleName() + ".class"),
				classes.resolve(DevToolsApplication.class.getSimpleName() + ".class"));
		// In real applications, the modules are JAR files, which are not reloaded.
		Path settings = Files.createDirectories(directory.resolve("META-INF")).resolve("spring-devtools.properties");
		Files.writeString(settings, "restart.exclude.modules=.*/target/classes/");
		try (JavaProcess application = JavaProcess.of(DevToolsApplication.class)
			.withoutTests()
			.withClassPathEntries(directory)
			.options("-Dspring.devtools.restart.enabled=true")
			.arguments("--statestore.embedded.enabled=true", "--spring.main.web-application-type=none",
					"--spring.main.keep-alive=true", "--spring.docker.compose.enabled=false",
					"--spring.devtools.restart.poll-interval=100ms", "--spring.devtools.restart.quiet-period=50ms")
			.start()) {
			application.await("Start 1 with RestartClassLoader");
			Files.createFile(directory.resolve("changed.properties"));
			application.await("is kept across the restart");
			application.await("Start 2 with RestartClassLoader");
		}
	}

	@Nested
	class WhileRestarting {

		private final AtomicInteger port = new AtomicInteger();

		@BeforeEach
		void initialize() {
			Restarter.initialize(new String[0], false, (thread) -> new URL[0], false);
		}

		@AfterEach
		void clear() throws Exception {
			Map.Entry<?, ?> kept = (Map.Entry<?, ?>) Restarter.getInstance()
				.removeAttribute("statestore.embedded.broker");
			if (kept != null) {
				((AutoCloseable) kept.getValue()).close();
			}
			Restarter.clearInstance();
		}

		private void set(ApplicationContextRunner runner) {
			runner.run((context) -> {
				this.port.set(context.getBean(StateStoreBroker.class).port());
				context.getBean(StateStoreOperations.class).set("key", "value");
			});
		}

		@Test
		void keepsBrokerWithSameSettings() {
			set(DevToolsTests.this.contextRunner);
			DevToolsTests.this.contextRunner.run((context) -> {
				assertThat(context.getBean(StateStoreBroker.class).port()).isEqualTo(this.port.get());
				assertThat(context.getBean(StateStoreOperations.class).get("key", String.class)).map(Entry::value)
					.contains("value");
			});
		}

		@Test
		void replacesBrokerWithOtherSettings() {
			set(DevToolsTests.this.contextRunner);
			DevToolsTests.this.contextRunner
				.withPropertyValues("statestore.embedded.port=" + this.port, "statestore.embedded.max-keys=5")
				.run((context) -> {
					assertThat(context.getBean(StateStoreBroker.class).port()).isEqualTo(this.port.get());
					assertThat(context.getBean(StateStoreOperations.class).get("key", String.class)).isEmpty();
				});
		}

		@Test
		void closesBrokerWithDirectory(@TempDir Path directory) {
			ApplicationContextRunner durable = DevToolsTests.this.contextRunner
				.withPropertyValues("statestore.embedded.directory=" + directory);
			set(durable);
			durable.run((context) -> assertThat(context.getBean(StateStoreOperations.class).get("key", String.class))
				.isPresent());
		}

	}

	@Test
	void closesBrokerIfRestartsAreDisabled() {
		StateStoreBroker[] broker = new StateStoreBroker[1];
		this.contextRunner.run((context) -> broker[0] = context.getBean(StateStoreBroker.class));
		this.contextRunner.run((context) -> assertThat(context.getBean(StateStoreBroker.class)).isNotSameAs(broker[0]));
	}

}
