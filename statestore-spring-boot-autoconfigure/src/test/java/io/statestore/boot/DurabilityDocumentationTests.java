package io.statestore.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

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

/** Compares {@code docs/durability.md} with the properties and a restart. */
@Timeout(60)
class DurabilityDocumentationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

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
			store.set("ovens/1/setpoint", 180, (spec) -> spec.persistent());
			store.set("ovens/1/celsius", 21);
		}, "statestore.embedded.persist=requested");
		run(directory, (store) -> {
			assertThat(store.get("ovens/1/setpoint", Integer.class)).map(Entry::value).contains(180);
			assertThat(store.get("ovens/1/celsius", Integer.class)).isEmpty();
		}, "statestore.embedded.persist=requested");
	}

	/** Starts an application with the directory, then closes it. */
	private void run(Path directory, Consumer<StateStoreOperations> application, String... properties) {
		this.contextRunner.withPropertyValues("statestore.embedded.data-directory=" + directory)
			.withPropertyValues(properties)
			.run((context) -> application.accept(context.getBean(StateStoreOperations.class)));
	}

}
