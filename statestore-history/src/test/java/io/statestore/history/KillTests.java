package io.statestore.history;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.Key;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Kills of a broker with a directory while clients write. */
@Tag("long")
@Timeout(240)
class KillTests {

	private static final int ROUNDS = 4;

	private static final int CONFIRMED_PER_ROUND = 4_000;

	@TempDir
	Path directory;

	/** Confirmed writes by version. */
	private final Map<Version, Bytes> confirmed = new ConcurrentHashMap<>();

	private final AtomicInteger number = new AtomicInteger();

	@Test
	void confirmedWritesSurviveKillsExactlyOnce() throws Exception {
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start()) {
			NodeOptions network = NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build();
			try (Store store = Store.builder(network).directory(this.directory.resolve("store")).start()) {
				Path journalDirectory = this.directory.resolve("journal");
				StorageOptions storage = StorageOptions.in(this.directory.resolve("data"));
				for (int round = 0; round < ROUNDS; round++) {
					try (BrokerProcess broker = new BrokerProcess(tower.address(), journalDirectory,
							storage.directory()); Client client = new Client(broker.port, "client-" + round)) {
						writeUntilKilled(broker, client);
					}
					historyEqualsStore(journalDirectory, storage);
				}
				assertThat(this.confirmed).hasSizeGreaterThanOrEqualTo(ROUNDS * CONFIRMED_PER_ROUND);
				List<HistoryChange> changes;
				try (HistoryJournal journal = HistoryJournal.builder(journalDirectory).network(network).start()) {
					changes = Changes.all(journal);
					check(changes);
					await("acknowledgment of all changes").until(() -> journal.acknowledged() == journal.size());
				}
				// The broker has ended, so only the store has the changes.
				StateHistory elsewhere = StateHistory.over(network).build();
				assertThat(Changes.read(elsewhere, HistoryQuery.all(), changes.size())).isEqualTo(changes);
				assertThat(elsewhere.rebuild().version()).isEqualTo(changes.get(changes.size() - 1).version());
			}
		}
	}

	/** Starts the broker again, which completes the history. */
	private static void historyEqualsStore(Path journalDirectory, StorageOptions storage) {
		try (HistoryJournal journal = HistoryJournal.builder(journalDirectory).start();
				StateStoreBroker broker = StateStoreBroker.builder().storage(storage).journal(journal).start();
				Client client = new Client(broker.port(), "reader")) {
			await("the history").ignoreExceptions()
				.untilAsserted(() -> RebuildTests.equalsTheStore(journal.history().rebuild(), client.template));
		}
	}

	private void writeUntilKilled(BrokerProcess broker, Client client) throws Exception {
		int enough = this.confirmed.size() + CONFIRMED_PER_ROUND;
		Semaphore permits = new Semaphore(128);
		long end = System.nanoTime() + Changes.PATIENCE.toNanos();
		while (this.confirmed.size() < enough) {
			assertThat(System.nanoTime()).isLessThan(end);
			permits.acquire();
			int number = this.number.getAndIncrement();
			Bytes value = Bytes.of("value " + number);
			client.template.async().set(Key.of("keys/" + number % 1_000), value).whenComplete((result, failure) -> {
				if (failure == null) {
					this.confirmed.put(result.version(), value);
				}
				permits.release();
			});
		}
		broker.kill();
	}

	private void check(List<HistoryChange> changes) {
		assertThat(changes).extracting(HistoryChange::version).isSorted().doesNotHaveDuplicates();
		assertThat(changes).extracting(HistoryChange::operation)
			.startsWith(Operation.START)
			.filteredOn((operation) -> operation != Operation.SET)
			.hasSize(1);
		Map<Version, Bytes> there = new HashMap<>();
		changes.stream()
			.filter((it) -> it.operation() == Operation.SET)
			.forEach((it) -> there.put(it.version(), it.value()));
		assertThat(there).containsAllEntriesOf(this.confirmed);
		// Each value is written once, even if its confirmation was lost.
		assertThat(there.values()).doesNotHaveDuplicates();
	}

}
