package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.history.ChangeTopic;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@code docs/dafka.md} with the history of an embedded broker. */
@Timeout(60)
class HistoryDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(HistoryDocumentationTests.class);

	@TempDir
	private Path directory;

	@Test
	void readsEmbeddedBrokerHistory() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
					EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class))
			.withBean(Recipes.class)
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s",
					"statestore.embedded.data-directory=" + this.directory, "statestore.embedded.history.retention=30d")
			.run((context) -> {
				StateStoreOperations store = context.getBean(StateStoreOperations.class);
				Version first = store.set("ovens/1/recipe", "bread").version();
				Version last = store.set("ovens/1/recipe", "cake").version();
				assertThat(context.getBean(Recipes.class).recipeAt(first)).contains(Bytes.of("bread"));
				assertThat(follow(context.getBean(StateHistory.class), first)).isEqualTo(last);
				assertThat(ovensAt(context.getBean(StateStoreConnection.class), last).get(Key.of("ovens/1/recipe")))
					.extracting(Entry::value)
					.isEqualTo(Bytes.of("cake"));
			});
	}

	Version follow(StateHistory history, Version last) {
		for (StoredChange change : history.changes("ovens/*", last).toList()) {
			logger.info("{} of {} by {} at {}", change.operation(), change.key().toUtf8(), change.author(),
					change.version());
			last = (change.version().compareTo(last) > 0) ? change.version() : last;
		}
		return last;
	}

	Map<Key, Entry<Bytes>> ovensAt(StateStoreConnection connection, Version version) {
		StateHistory history = new StateHistory(connection, Duration.ofSeconds(10));
		return history.content("ovens/*", version);
	}

	@Bean
	ChangeTopic changeTopic(StateHistory history) {
		NodeOptions network = NodeOptions.tower("tower.local");
		return new ChangeTopic(history, network, "ovens", Path.of("/var/lib/oven/feed"), Duration.ofSeconds(1));
	}

	Consumer consumer(NodeOptions network, Path offsets) {
		return Consumer.builder(network)
			.topics("ovens")
			.offsetReset(OffsetReset.EARLIEST)
			.offsets(OffsetStore.file(offsets))
			.start((record) -> apply(ChangeTopic.decode(record.content())));
	}

	private void apply(StoredChange change) {
		logger.info("{} of {}", change.operation(), change.key().toUtf8());
	}

	@Component
	static class Recipes {

		private final StateHistory history;

		Recipes(StateHistory history) {
			this.history = history;
		}

		Optional<Bytes> recipeAt(Version version) {
			Key key = Key.of("ovens/1/recipe");
			return Optional.ofNullable(this.history.content("ovens/1/recipe", version).get(key))
				.map((entry) -> entry.value());
		}

	}

}
