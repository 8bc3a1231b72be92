package io.statestore.boot;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.RecoveryProgress;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;
import io.statestore.test.JavaProcess;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The embedded broker when Spring Boot DevTools restarts the application. */
@Timeout(120)
class DevToolsTests {

	private static final String CLASSES = DevToolsApplication.class.getPackageName().replace('.', '/');

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						KeptBrokerAutoConfiguration.class, StateStoreAutoConfiguration.class))
		.withPropertyValues("statestore.embedded.enabled=true");

	@Test
	@Tag("long")
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

		private final AtomicReference<StateStoreBroker> broker = new AtomicReference<>();

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

		private StateStoreBroker broker() {
			return Objects.requireNonNull(this.broker.get());
		}

		private void set(ApplicationContextRunner runner) {
			runner.run((context) -> {
				this.broker.set(context.getBean(StateStoreBroker.class));
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
		void closesKeptBrokerIfDataBecomesDurable(@TempDir Path directory) {
			set(DevToolsTests.this.contextRunner);
			DevToolsTests.this.contextRunner
				.withPropertyValues("statestore.embedded.data-directory=" + directory,
						"statestore.embedded.port=" + this.port)
				.run((context) -> {
					assertThat(context.getBean(StateStoreBroker.class).port()).isEqualTo(this.port.get());
					assertThat(broker().stopped()).isDone();
				});
		}

		@Test
		void closesKeptBrokerIfEmbeddedBrokerIsDisabled() {
			set(DevToolsTests.this.contextRunner);
			DevToolsTests.this.contextRunner
				.withPropertyValues("statestore.embedded.enabled=false", "statestore.start-timeout=0s")
				.run((context) -> assertThat(broker().stopped()).isDone());
		}

		@Test
		void closesKeptBrokerIfApplicationHasItsOwn() {
			set(DevToolsTests.this.contextRunner);
			DevToolsTests.this.contextRunner
				.withBean(StateStoreBroker.class, () -> StateStoreBroker.builder().port(this.port.get()).start())
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(broker().stopped()).isDone();
				});
		}

		@Test
		void childContextKeepsBrokerOfParent() {
			DevToolsTests.this.contextRunner.run((parent) -> DevToolsTests.this.contextRunner.withParent(parent)
				.run((child) -> assertThat(parent.getBean(StateStoreBroker.class).stopped()).isNotDone()));
		}

		@Test
		void replacesClosedBroker() {
			set(DevToolsTests.this.contextRunner);
			broker().close();
			DevToolsTests.this.contextRunner
				.run((context) -> assertThat(context.getBean(StateStoreOperations.class).get("key", String.class))
					.isEmpty());
		}

		@Test
		void replacesBrokerWithTimeOfApplication() {
			ApplicationContextRunner timed = DevToolsTests.this.contextRunner.withBean(TimeSource.class,
					() -> TimeSource.SYSTEM);
			set(timed);
			timed.run((context) -> assertThat(context.getBean(StateStoreBroker.class)).isNotSameAs(broker()));
		}

		@Test
		void keptBrokerDoesNotRetainApplication() {
			List<WeakReference<?>> listener = new ArrayList<>();
			DevToolsTests.this.contextRunner.withBean(RecoveryListener.class, StubbedListener::new).run((context) -> {
				listener.add(new WeakReference<>(context.getBean(RecoveryListener.class)));
				context.getBean(StateStoreBroker.class);
			});
			await("the garbage collection").until(() -> {
				System.gc();
				return listener.get(0).get() == null;
			});
		}

		private static final class StubbedListener implements RecoveryListener {

			@Override
			public void recovering(RecoveryProgress progress) {
			}

		}

		@Test
		void closesBrokerWithDirectory(@TempDir Path directory) {
			ApplicationContextRunner durable = DevToolsTests.this.contextRunner
				.withPropertyValues("statestore.embedded.data-directory=" + directory);
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
