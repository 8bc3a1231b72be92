package io.statestore.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.Change;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.tower.Tower;
import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * History of 100,000 changes by clients over a socket. The rebuilt content must equal the
 * content of the store, and the replies to the clients, at the end and in between.
 */
@Tag("long")
@Timeout(240)
@Tag("nightly")
class RebuildTests {

	private static final int CHANGES = 100_000;

	private static final int KEYS = 4_000;

	private static final int IN_FLIGHT = 256;

	@TempDir
	Path directory;

	/** Changes by the replies to clients, and expiries, which have no reply. */
	private final Queue<Confirmed> confirmed = new ConcurrentLinkedQueue<>();

	@Test
	void rebuiltStoreEqualsOriginal() throws Exception {
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start()) {
			NodeOptions network = NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build();
			try (HistoryJournal journal = HistoryJournal.builder(this.directory).network(network).start();
					StateStoreBroker broker = StateStoreBroker.builder().journal(new Expiries(journal)).start();
					Client first = new Client(broker.port(), "first");
					Client second = new Client(broker.port(), "second")) {
				work(first.template.async(), second.template.async(), journal);
				List<Confirmed> confirmed = this.confirmed.stream().sorted().toList();
				assertThat(confirmed).hasSizeGreaterThanOrEqualTo(CHANGES).hasSize((int) journal.size() - 1);
				assertThat(confirmed.stream().filter((it) -> it.expired).count()).isGreaterThan(1_000);
				assertThat(confirmed.stream().filter((it) -> it.value == null && !it.expired).count())
					.isGreaterThan(1_000);
				HistorySnapshot now = journal.history().rebuild();
				assertThat(now.entries()).hasSizeGreaterThan(1_000);
				equalsTheStore(now, first.template);
				equalsAtVersions(journal.history(), confirmed);
				assertThat(StateHistory.over(network).build().rebuild()).isEqualTo(now);
				assertThat(ReaderProcess.rebuild(tower.address())).isEqualTo(ReaderProcess.describe(now));
			}
		}
	}

	private void work(StateStoreAsyncOperations first, StateStoreAsyncOperations second, HistoryJournal journal)
			throws Exception {
		Random random = new Random(42);
		Semaphore permits = new Semaphore(IN_FLIGHT);
		for (int i = 0; journal.size() < CHANGES + 1_000; i++) {
			StateStoreAsyncOperations client = random.nextBoolean() ? first : second;
			Bytes key = Bytes.of("keys/" + random.nextInt(KEYS));
			Bytes value = Bytes.of("value " + i);
			permits.acquire();
			switch (random.nextInt(10)) {
				case 0, 1 -> client.delete(Key.of(key)).whenComplete((result, failure) -> {
					if (failure == null && result.deleted()) {
						tell(key, null, result.version());
					}
					permits.release();
				});
				case 2, 3 ->
					client.set(Key.of(key), value, (spec) -> spec.expire(Duration.ofMillis(1 + random.nextInt(300))))
						.whenComplete((result, failure) -> {
							if (failure == null) {
								tell(key, value, result.version());
							}
							permits.release();
						});
				case 4 -> client.set(Key.of(key), value, (spec) -> spec.ifAbsent()).whenComplete((result, failure) -> {
					if (failure == null && result.applied()) {
						tell(key, value, result.version());
					}
					permits.release();
				});
				default -> client.set(Key.of(key), value).whenComplete((result, failure) -> {
					if (failure == null) {
						tell(key, value, result.version());
					}
					permits.release();
				});
			}
		}
		assertThat(permits.tryAcquire(IN_FLIGHT, 30, TimeUnit.SECONDS)).isTrue();
		// No key changes until the last one has expired.
		long size = -1;
		while (size != journal.size()) {
			size = journal.size();
			Thread.sleep(1_500);
		}
	}

	private void tell(Bytes key, @Nullable Bytes value, @Nullable Version version) {
		assertThat(version).isNotNull();
		this.confirmed.add(new Confirmed(key, value, version, false));
	}

	/** Compares with the content of the store, which must not change. */
	static void equalsTheStore(HistorySnapshot snapshot, StateStoreTemplate store) {
		Set<Bytes> keys = store.scan("*").stream().map(Key::bytes).collect(Collectors.toSet());
		assertThat(snapshot.entries().keySet()).isEqualTo(keys);
		for (Bytes key : keys) {
			var entry = store.get(Key.of(key), Bytes.class).orElseThrow();
			assertThat(snapshot.entries().get(key)).as(key.toUtf8())
				.isEqualTo(new Entry(entry.value(), entry.version()));
		}
	}

	private static void equalsAtVersions(StateHistory history, List<Confirmed> confirmed) {
		Map<Bytes, Entry> model = new HashMap<>();
		for (int i = 0; i < confirmed.size(); i++) {
			Confirmed change = confirmed.get(i);
			if (change.value != null) {
				model.put(change.key, new Entry(change.value, change.version));
			}
			else {
				model.remove(change.key);
			}
			if (i % 10_007 == 5_000 || i == confirmed.size() - 1) {
				HistorySnapshot then = history.rebuild(change.version);
				assertThat(then.version()).isEqualTo(change.version);
				assertThat(then.entries()).as("at change " + i).isEqualTo(model);
			}
		}
	}

	private record Confirmed(Bytes key, @Nullable Bytes value, Version version,
			boolean expired) implements Comparable<Confirmed> {

		@Override
		public int compareTo(Confirmed other) {
			return this.version.compareTo(other.version);
		}

	}

	/** Records the expiries, which clients do not see. */
	private final class Expiries implements ChangeJournal {

		private final ChangeJournal journal;

		Expiries(ChangeJournal journal) {
			this.journal = journal;
		}

		@Override
		public @Nullable Version last() {
			return this.journal.last();
		}

		@Override
		public boolean isAfterGap() {
			return this.journal.isAfterGap();
		}

		@Override
		public void force() {
			this.journal.force();
		}

		@Override
		public void write(List<Change> changes) {
			changes.stream()
				.filter((change) -> change.operation() == Change.Operation.EXPIRE)
				.forEach((change) -> RebuildTests.this.confirmed
					.add(new Confirmed(change.key(), null, change.version(), true)));
			this.journal.write(changes);
		}

	}

}
