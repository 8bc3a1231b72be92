package io.statestore.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.Change;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.Key;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.Position;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.store.storage.RocksEngine;
import io.statestore.dafka.wire.PartitionKey;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** History in the process of a broker. */
@Timeout(120)
class HistoryTests {

	private static final Bytes KEY = Bytes.of("ovens/1");

	private static final Bytes OTHER = Bytes.of("ovens/2");

	@TempDir
	Path directory;

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.open.clear();
	}

	private <T extends AutoCloseable> T opened(T resource) {
		this.open.add(resource);
		return resource;
	}

	private Running start() {
		return start(HistoryJournal.builder(this.directory));
	}

	private Running start(HistoryJournal.Builder builder) {
		HistoryJournal journal = opened(builder.start());
		StateStoreBroker broker = opened(StateStoreBroker.builder().journal(journal).start());
		return new Running(journal, opened(new Client(broker.port(), "oven")), broker.port());
	}

	private record Running(HistoryJournal journal, Client client, int port) {

		Version set(Bytes key, String value) {
			Version version = this.client.template.set(Key.of(key), Bytes.of(value)).version();
			Changes.awaitVersion(this.journal.history(), version);
			return version;
		}

	}

	@Test
	void returnsChangesInOrderWithClientIds() throws Exception {
		Running it = start();
		HistoryJournal journal = it.journal();
		Client oven = it.client();
		Client panel = opened(new Client(it.port(), "panel"));
		Version first = oven.template.set(Key.of(KEY), Bytes.of("20")).version();
		Version second = panel.template.set(Key.of(KEY), Bytes.of("180"), (spec) -> spec.expire(Duration.ofMillis(50)))
			.version();
		List<HistoryChange> expired = Changes.read(journal.history(), HistoryQuery.all(), 4);
		Version third = oven.template.set(Key.of(OTHER), Bytes.EMPTY).version();
		panel.template.set(Key.of(OTHER), Bytes.of("refused"), (spec) -> spec.ifAbsent());
		panel.template.delete(Key.of("missing"));
		panel.template.delete(Key.of(OTHER));
		List<HistoryChange> changes = Changes.read(journal.history(), HistoryQuery.all(), 6);
		await().until(() -> journal.size() == 6);
		assertThat(changes).extracting(HistoryChange::operation)
			.containsExactly(Operation.START, Operation.SET, Operation.SET, Operation.EXPIRE, Operation.SET,
					Operation.DELETE);
		assertThat(changes).extracting(HistoryChange::clientId)
			.containsExactly(null, "oven", "panel", null, "oven", "panel");
		assertThat(changes).extracting(HistoryChange::key).containsExactly(Bytes.EMPTY, KEY, KEY, KEY, OTHER, OTHER);
		assertThat(changes).extracting((change) -> change.value().toUtf8())
			.containsExactly("", "20", "180", "", "", "");
		assertThat(changes).extracting(HistoryChange::version).isSorted().contains(first, second, third);
		assertThat(changes).extracting((change) -> change.position().offset()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
		assertThat(changes.subList(0, 4)).isEqualTo(expired);
	}

	@Test
	void readsSelectedChanges() throws Exception {
		Running it = start();
		it.set(KEY, "1");
		Version second = it.set(OTHER, "2");
		it.set(KEY, "3");
		StateHistory history = it.journal().history();
		assertThat(Changes.read(history, HistoryQuery.all().key(KEY), 3))
			.extracting((change) -> change.value().toUtf8())
			.containsExactly("", "1", "3");
		List<HistoryChange> later = Changes.read(history, HistoryQuery.all().from(second), 2);
		assertThat(later).extracting((change) -> change.value().toUtf8()).containsExactly("2", "3");
		assertThat(Changes.read(history, HistoryQuery.all().after(later.get(0).position()), 1))
			.isEqualTo(later.subList(1, 2));
		assertThatExceptionOfType(HistoryException.class)
			.isThrownBy(() -> history.changes(HistoryQuery.all().after(new Position("statestore-history", "X", 3))))
			.withMessageContaining("does not belong to this journal");
		Position last = later.get(1).position();
		Position lost = new Position(last.topic(), last.partition(), last.offset() + 1);
		assertThat(history.changes(HistoryQuery.all().after(last)).next(Duration.ofMillis(1))).isNull();
		assertThatExceptionOfType(HistoryException.class)
			.isThrownBy(() -> history.changes(HistoryQuery.all().after(lost)))
			.withMessageContaining("has only 4 changes");
	}

	@Test
	void continuesWithNewChanges() throws Exception {
		Running it = start();
		try (HistoryStream stream = it.journal().history().changes(HistoryQuery.all())) {
			assertThat(Changes.next(stream).operation()).isEqualTo(Operation.START);
			assertThat(stream.lag()).isZero();
			assertThat(stream.next(Duration.ofMillis(10))).isNull();
			for (int i = 0; i < 10; i++) {
				Version version = it.set(KEY, "live");
				assertThat(Changes.next(stream).version()).isEqualTo(version);
			}
		}
	}

	@Test
	void rebuildsStoreAtAnyVersion() {
		Running it = start();
		Version first = it.set(KEY, "1");
		Version second = it.set(OTHER, "2");
		StateHistory history = it.journal().history();
		Changes.awaitVersion(history, it.client().template.delete(Key.of(KEY)).version());
		assertThat(history.rebuild(first).entries()).containsOnlyKeys(KEY)
			.containsEntry(KEY, new Entry(Bytes.of("1"), first));
		assertThat(history.rebuild(second).entries()).containsOnlyKeys(KEY, OTHER);
		HistorySnapshot now = history.rebuild();
		assertThat(now.entries()).containsOnlyKeys(OTHER);
		assertThat(now.version()).isGreaterThan(second);
		assertThatExceptionOfType(HistoryException.class)
			.isThrownBy(() -> history.rebuild(new Version(1, 0, "StateStore")))
			.withMessageContaining("no start of the broker before version 1:0:StateStore");
	}

	@Test
	void restartContinuesAfterLastChange() throws Exception {
		Running it = start();
		Version before = it.set(KEY, "1");
		List<HistoryChange> written = Changes.all(it.journal());
		String partition = it.journal().partition().partition();
		close();
		it = start();
		Version after = it.set(OTHER, "2");
		List<HistoryChange> changes = Changes.all(it.journal());
		assertThat(it.journal().partition().partition()).isEqualTo(partition);
		assertThat(changes).extracting(HistoryChange::operation)
			.containsExactly(Operation.START, Operation.SET, Operation.START, Operation.SET);
		assertThat(changes.subList(0, 2)).isEqualTo(written);
		assertThat(changes).extracting(HistoryChange::version).isSorted().doesNotHaveDuplicates();
		StateHistory history = it.journal().history();
		assertThat(history.rebuild(before).entries()).containsOnlyKeys(KEY);
		assertThat(history.rebuild(changes.get(2).version()).entries()).isEmpty();
		assertThat(history.rebuild(after).entries()).containsOnlyKeys(OTHER);
	}

	@Test
	void remembersIncompleteContentAfterGap() throws Exception {
		HistoryJournal journal = opened(HistoryJournal.builder(this.directory).start());
		journal.write(List.of(TestChanges.start(1), TestChanges.set(KEY, "1", TestChanges.version(2))));
		journal.write(List.of(TestChanges.mark(Change.Operation.GAP, 5), TestChanges.present(OTHER, "2", 5, 4)));
		close();
		journal = opened(HistoryJournal.builder(this.directory).start());
		assertThat(journal.last()).isEqualTo(TestChanges.version(5));
		assertThat(journal.isAfterGap()).isTrue();
		assertThatExceptionOfType(HistoryException.class).isThrownBy(journal.history()::rebuild)
			.withMessageContaining("Changes are missing in the history");
		journal.write(List.of(TestChanges.set(KEY, "3", TestChanges.version(6))));
		assertThat(journal.last()).isEqualTo(TestChanges.version(6));
		assertThat(journal.isAfterGap()).isTrue();
		journal.write(List.of(TestChanges.mark(Change.Operation.COMPLETE, 6)));
		assertThat(journal.last()).isEqualTo(TestChanges.version(6));
		assertThat(journal.isAfterGap()).isFalse();
		assertThat(journal.history().rebuild().entries()).containsOnly(
				Map.entry(KEY, new Entry(Bytes.of("3"), TestChanges.version(6))),
				Map.entry(OTHER, new Entry(Bytes.of("2"), TestChanges.version(4))));
	}

	@Test
	void durableStoreContinuesHistoryAcrossRestart() throws Exception {
		StorageOptions storage = StorageOptions.in(this.directory.resolve("store"));
		for (int i = 0; i < 3; i++) {
			HistoryJournal journal = opened(HistoryJournal.builder(this.directory.resolve("history")).start());
			StateStoreBroker broker = opened(StateStoreBroker.builder().storage(storage).journal(journal).start());
			Running it = new Running(journal, opened(new Client(broker.port(), "oven")), broker.port());
			it.set(Bytes.of("ovens/" + i), "on");
			assertThat(journal.history().rebuild().entries()).hasSize(i + 1);
			List<HistoryChange> changes = Changes.all(journal);
			assertThat(changes).hasSize(i + 2);
			assertThat(changes.subList(1, i + 2)).extracting(HistoryChange::operation).containsOnly(Operation.SET);
			close();
		}
	}

	@Test
	void reportsRecordThatIsNoChange() throws Exception {
		Running it = start();
		it.set(KEY, "1");
		PartitionKey key = new PartitionKey(io.statestore.dafka.Bytes.of(it.journal().partition().partition()),
				io.statestore.dafka.Bytes.of("statestore-history"));
		close();
		try (RecordLog log = new RecordLog(RocksEngine.open(this.directory))) {
			log.append(log.partition(key), new byte[] { 1, 1, 5 });
			log.flush(false, 0);
		}
		try (HistoryJournal journal = HistoryJournal.builder(this.directory).start()) {
			assertThatExceptionOfType(HistoryException.class).isThrownBy(journal.history()::rebuild)
				.withMessageContaining("offset 2 of 'statestore-history'")
				.withMessageContaining("is not a change of a state store: it is too short");
			assertThatExceptionOfType(HistoryException.class)
				.isThrownBy(() -> StateStoreBroker.builder().journal(journal).start())
				.withMessageContaining("offset 2");
		}
	}

	@Test
	void reportsDirectoryInUseAndInvalidOptions() {
		start();
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> HistoryJournal.builder(this.directory).start())
			.withMessageContaining("another store uses it")
			.withMessageContaining(this.directory.toString());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> HistoryJournal.builder(this.directory)
				.retentionTime(java.time.temporal.ChronoUnit.FOREVER.getDuration()))
			.withMessageStartingWith("'retentionTime' is ");
	}

	@Test
	void rebuildsAfterRetentionRemovedStart() throws Exception {
		StorageOptions storage = StorageOptions.in(this.directory.resolve("store"));
		String large = "x".repeat(100_000);
		Version first = null;
		for (int i = 0; i < 3; i++) {
			HistoryJournal journal = opened(
					HistoryJournal.builder(this.directory.resolve("history")).retentionBytes(2_000_000).start());
			StateStoreBroker broker = opened(StateStoreBroker.builder().storage(storage).journal(journal).start());
			Running it = new Running(journal, opened(new Client(broker.port(), "oven")), broker.port());
			if (first == null) {
				first = it.set(OTHER, "first");
			}
			// The first write of a journal removes old changes.
			for (int j = 0; j < 29; j++) {
				it.client().template.set(Key.of(KEY), Bytes.of(large));
			}
			it.set(KEY, large);
			assertThat(journal.history().rebuild().entries()).containsOnlyKeys(KEY, OTHER)
				.containsEntry(OTHER, new Entry(Bytes.of("first"), first));
			if (i > 0) {
				assertThat(Changes.read(journal.history(), HistoryQuery.all(), 1).get(0).position().offset())
					.isGreaterThan(1);
			}
			close();
		}
	}

	@Test
	void refusesRebuildWithoutStart() throws Exception {
		HistoryJournal journal = opened(HistoryJournal.builder(this.directory).retentionBytes(1).start());
		journal.write(List.of(TestChanges.start(1)));
		for (int i = 2; i < 50; i++) {
			journal.write(List.of(TestChanges.set(KEY, "x".repeat(100_000), TestChanges.version(i))));
		}
		close();
		// The first write removes old changes.
		HistoryJournal again = opened(HistoryJournal.builder(this.directory).retentionBytes(1).start());
		assertThat(again.last()).isNotNull();
		again.write(List.of(TestChanges.set(KEY, "y", new Version(Long.MAX_VALUE / 100_000, 0, "StateStore"))));
		HistoryChange first = Changes.read(again.history(), HistoryQuery.all(), 1).get(0);
		assertThat(first.position().offset()).isBetween(10L, 50L);
		assertThatExceptionOfType(HistoryException.class).isThrownBy(again.history()::rebuild)
			.withMessageContaining("retention has removed it");
	}

}
