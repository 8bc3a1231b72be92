package io.statestore.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.tower.Tower;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Uses of the history by an application. */
@Timeout(120)
class DocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(DocumentationTests.class);

	private static final Bytes RECIPE = Bytes.of("ovens/1/recipe");

	@TempDir
	Path directory;

	private final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	private final NodeOptions network = NodeOptions.builder()
		.tower(this.tower.address())
		.bindHost("127.0.0.1")
		.beaconInterval(Duration.ofMillis(50))
		.build();

	private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

	@AfterEach
	void close() {
		this.tower.close();
	}

	@Test
	void runsEverySnippet() {
		broker(this.directory, this.network);
		assertThat(this.failure.get()).isNull();
	}

	private void serve(StateStoreBroker broker, StateHistory history) {
		try (Client client = new Client(broker.port(), "oven")) {
			Version first = client.template.set(Key.of(RECIPE), Bytes.of("bread")).version();
			Changes.awaitVersion(history, first);
			Position before = history.rebuild(first).position();
			Changes.awaitVersion(history, client.template.set(Key.of(RECIPE), Bytes.of("cake")).version());
			assertThat(follow(history, before).offset()).isEqualTo(before.offset() + 1);
			assertThat(yesterday(history, first).entries()).hasEntrySatisfying(RECIPE,
					(entry) -> assertThat(entry.value().toUtf8()).isEqualTo("bread"));
			assertThat(new Recipes(history).recipeAt(first))
				.hasValueSatisfying((value) -> assertThat(value.toUtf8()).isEqualTo("bread"));
			assertThat(elsewhere(this.network)).isEqualTo(history.rebuild());
		}
		catch (Exception ex) {
			this.failure.set(ex);
		}
	}

	/** The recipe of the page. */
	record Recipes(StateHistory history) {

		Optional<Bytes> recipeAt(Version version) {
			HistorySnapshot snapshot = this.history.rebuild(version);
			return Optional.ofNullable(snapshot.entries().get(Bytes.of("ovens/1/recipe")))
				.map((entry) -> entry.value());
		}

	}

	HistorySnapshot yesterday(StateHistory history, Version version) {
		return history.rebuild(version);
	}

	Position follow(StateHistory history, Position last) throws InterruptedException {
		try (HistoryStream changes = history.changes(HistoryQuery.all().key(Bytes.of("ovens/1/recipe")).after(last))) {
			while (true) {
				try {
					HistoryChange change = changes.next(Duration.ofSeconds(1));
					if (change == null) {
						return last;
					}
					logger.info("{} by {} at {}", change.operation(), change.author(), change.version());
					last = change.position();
				}
				catch (MissingChangesException ex) {
					logger.warn("Continuing after missing changes", ex);
				}
			}
		}
	}

	void broker(Path directory, NodeOptions network) {
		try (HistoryJournal journal = HistoryJournal.builder(directory).network(network).start();
				StateStoreBroker broker = StateStoreBroker.builder().journal(journal).start()) {
			serve(broker, journal.history());
		}
	}

	HistorySnapshot elsewhere(NodeOptions network) {
		return StateHistory.over(network).build().rebuild();
	}

}
