package io.statestore.client.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Reading of a history over a socket. */
@Timeout(60)
class StateHistoryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	@TempDir
	private Path directory;

	private StateStoreBroker broker;

	private StateStoreConnection connection;

	private StateStoreTemplate template;

	private StateHistory history;

	@BeforeEach
	void start() {
		this.broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(this.directory).withHistory(HistoryRetention.UNLIMITED))
			.start();
		this.connection = connect(this.broker);
		this.template = new StateStoreTemplate(this.connection);
		this.history = history(this.connection, TIMEOUT);
	}

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
	}

	private static StateStoreConnection connect(StateStoreBroker broker) {
		StateStoreConnection connection = new StateStoreConnection(
				ConnectionOptions.builder().host("127.0.0.1").port(broker.port()).build());
		connection.start();
		return connection;
	}

	private static StateHistory history(StateStoreConnection connection, Duration timeout) {
		return new StateHistory(connection, timeout);
	}

	private Version set(String key, String value) {
		return this.template.set(key, value).version();
	}

	@Test
	void returnsChangesMatchingPatternAfterVersion() {
		Version first = set("line/1", "a");
		set("other", "b");
		this.template.delete("line/1");

		List<StoredChange> changes = this.history.changes("line/*").toList();
		assertThat(changes).extracting(StoredChange::operation).containsExactly(Operation.SET, Operation.DELETE);
		assertThat(changes).extracting(StoredChange::client).containsOnly(this.connection.getClientId());
		assertThat(changes.get(0).value()).isEqualTo(Bytes.of("a"));
		assertThat(this.history.changes("line/*", first)).containsExactly(changes.get(1));
		assertThat(this.history.changes("line/*", changes.get(1).version())).isEmpty();
	}

	@Test
	void returnsLatestChangesFirst() {
		for (int i = 0; i < 300; i++) {
			set("line/" + i % 3, "v".repeat(2_000) + i);
		}
		List<StoredChange> changes = new ArrayList<>(this.history.changes("line/1").toList());
		Collections.reverse(changes);
		assertThat(this.history.latest("line/1")).isEqualTo(changes);
		assertThat(this.history.latest("line/1").limit(2)).isEqualTo(changes.subList(0, 2));
	}

	@Test
	void returnsContentAtVersion() {
		Version kept = set("kept", "1");
		set("deleted", "1");
		Version before = set("changed", "1");
		this.template.delete("deleted");
		Version after = set("changed", "2");

		assertThat(this.history.content("*", before)).containsOnlyKeys(Key.of("kept"), Key.of("deleted"),
				Key.of("changed"));
		Map<Key, Entry<Bytes>> content = this.history.content("*", after);
		assertThat(content.values()).containsExactlyInAnyOrder(new Entry<>(Key.of("kept"), Bytes.of("1"), kept),
				new Entry<>(Key.of("changed"), Bytes.of("2"), after));
		assertThat(this.history.content("kept", after)).containsOnlyKeys(Key.of("kept"));
	}

	@Test
	void requestsPagesWhenTheyAreNeeded() {
		int count = 20;
		for (int i = 0; i < count; i++) {
			set("key-" + i, "v".repeat(50_000));
		}

		Iterator<StoredChange> changes = this.history.changes("*").iterator();
		assertThat(changes.next().key()).isEqualTo(Bytes.of("key-0"));
		// A change that only a later page can contain.
		set("last", "v");
		List<StoredChange> rest = new ArrayList<>();
		changes.forEachRemaining(rest::add);
		assertThat(rest).hasSize(count).last().extracting(StoredChange::key).isEqualTo(Bytes.of("last"));
	}

	@Test
	void readsWhileServerAnswersInterruptedThread() throws InterruptedException {
		for (int i = 0; i < 100; i++) {
			set("key-" + i, "v".repeat(50_000));
		}
		for (int i = 0; i < 20; i++) {
			Thread reader = new Thread(() -> {
				try {
					this.history.changes("other").count();
				}
				catch (StateStoreException ex) {
					// Interrupted
				}
			});
			reader.start();
			while (reader.isAlive() && reader.getState() != Thread.State.WAITING) {
				Thread.onSpinWait();
			}
			reader.interrupt();
			reader.join();
			assertThat(this.history.changes("key-0")).hasSize(1);
		}
	}

	@Test
	void followsWritesBySeveralThreads() {
		int count = 1_000;
		List<CompletableFuture<Void>> writers = IntStream.range(0, 4)
			.mapToObj((writer) -> CompletableFuture.runAsync(() -> {
				for (int i = 0; i < count; i++) {
					set("writer-" + writer, String.valueOf(i));
				}
			}))
			.toList();
		List<StoredChange> changes = new ArrayList<>();
		while (changes.size() < writers.size() * count) {
			Version last = changes.isEmpty() ? null : changes.get(changes.size() - 1).version();
			this.history.changes("*", last).forEach(changes::add);
		}

		assertThat(changes).isSortedAccordingTo(Comparator.comparing(StoredChange::version));
		assertThat(changes).extracting(StoredChange::operation).containsOnly(Operation.SET);
		assertThat(changes.stream().map(StoredChange::version).distinct()).hasSize(writers.size() * count);
	}

	@Test
	void severalThreadsReadConcurrently() {
		for (int i = 0; i < 20; i++) {
			set("key-" + i, "v".repeat(50_000));
		}
		List<CompletableFuture<Long>> readers = IntStream.range(0, 4)
			.mapToObj((reader) -> CompletableFuture.supplyAsync(() -> this.history.changes("*").count()))
			.toList();
		assertThat(readers).allSatisfy((reader) -> assertThat(reader).succeedsWithin(TIMEOUT).isEqualTo(20L));
	}

	@Test
	void streamFailsWithoutConnection() {
		for (int i = 0; i < 20; i++) {
			set("key-" + i, "v".repeat(50_000));
		}
		StateHistory history = history(this.connection, Duration.ofMillis(500));
		Iterator<StoredChange> changes = history.changes("*").iterator();
		changes.next();
		this.broker.close();

		assertThatExceptionOfType(AdministrationUnavailableException.class)
			.isThrownBy(() -> changes.forEachRemaining((change) -> {
			}));
	}

	@Test
	void interruptEndsWait() {
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.history.changes("*").count())
				.withMessageContaining("Interrupted");
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void serverWithoutHistoryNamesNextStep() {
		try (StateStoreBroker other = StateStoreBroker.builder().start();
				StateStoreConnection connection = connect(other)) {
			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> history(connection, TIMEOUT).changes("*").count())
				.withMessageContaining("keeps no history. Start it with a directory");
		}
	}

}
