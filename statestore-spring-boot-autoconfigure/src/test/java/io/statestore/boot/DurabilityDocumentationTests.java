package io.statestore.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.RecoveryProgress.Part;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Compares {@code docs/durability.md} with the properties, the meters, and a restart. */
@Timeout(60)
class DurabilityDocumentationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	private final String page = Files.readString(Path.of("../docs/durability.md"));

	DurabilityDocumentationTests() throws IOException {
	}

	@Test
	void snippetsAreInThisClass() throws IOException {
		DocumentedSnippets.assertAllIn("durability.md", 1, getClass());
	}

	@Test
	void keepsAllKeysByDefault(@TempDir Path directory) {
		run(directory, (store) -> store.set("ovens/1/celsius", 21));
		run(directory,
				(store) -> assertThat(store.get("ovens/1/celsius", Integer.class)).map(Entry::value).contains(21));
	}

	@Test
	void keepsOnlyRequestedKeys(@TempDir Path directory) {
		run(directory, (store) -> {
			store.set("ovens/1/setPoint", 180, (spec) -> spec.persistent());
			store.set("ovens/1/celsius", 21);
		}, "statestore.embedded.persist=requested");
		run(directory, (store) -> {
			assertThat(store.get("ovens/1/setPoint", Integer.class)).map(Entry::value).contains(180);
			assertThat(store.get("ovens/1/celsius", Integer.class)).isEmpty();
		}, "statestore.embedded.persist=requested");
	}

	@Test
	void pageListsEveryMeter() {
		StateStoreBroker broker = mock(StateStoreBroker.class);
		given(broker.durability())
			.willReturn(Optional.of(EmbeddedStateStoreMetricsTests.log(Duration.ofSeconds(1), true)));
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new EmbeddedStateStoreMetrics(broker).bindTo(meters);
		EmbeddedStateStoreRecoveryMetricsTests.metrics(meters)
			.recovering(EmbeddedStateStoreRecoveryMetricsTests.progress(Part.LOG, 500));
		assertThat(firstColumn("statestore\\.(?:log|mqtt|snapshot|recovery)\\.[a-z.]+"))
			.containsExactlyInAnyOrderElementsOf(
					meters.getMeters().stream().map((meter) -> meter.getId().getName()).distinct().toList());
	}

	private List<String> firstColumn(String pattern) {
		return Pattern.compile("^\\| `(" + pattern + ")` \\|", Pattern.MULTILINE)
			.matcher(this.page)
			.results()
			.map((row) -> row.group(1))
			.toList();
	}

	/** Starts an application with the directory, and closes it. */
	private void run(Path directory, Consumer<StateStoreOperations> application, String... properties) {
		this.contextRunner.withPropertyValues("statestore.embedded.directory=" + directory)
			.withPropertyValues(properties)
			.run((context) -> application.accept(context.getBean(StateStoreOperations.class)));
	}

}
