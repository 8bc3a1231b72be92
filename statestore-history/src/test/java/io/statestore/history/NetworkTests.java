package io.statestore.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.server.Change;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.KeyDirectory;
import io.statestore.dafka.tower.Tower;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Reading over the network, with slow readers and failures. */
@Timeout(120)
class NetworkTests {

	private static final Bytes KEY = Bytes.of("k");

	@TempDir
	Path directory;

	private final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	private final NodeOptions network = network(this.tower, null);

	private long millis;

	@AfterEach
	void close() {
		this.tower.close();
	}

	private HistoryJournal journal(String name) {
		return HistoryJournal.builder(this.directory.resolve(name)).network(this.network).start();
	}

	private void write(HistoryJournal journal, int count, String value) {
		if (journal.size() == 0) {
			journal.write(List.of(TestChanges.start(++this.millis)));
		}
		for (int written = 0; written < count;) {
			List<Change> changes = new ArrayList<>();
			for (; changes.size() < 500 && written < count; written++) {
				changes.add(TestChanges.set(KEY, value, TestChanges.version(++this.millis)));
			}
			journal.write(changes);
		}
	}

	/** Three times the size of the queues of a reader. */
	@Test
	void slowAndLateReadersReceiveEveryChange() throws Exception {
		String value = "x".repeat(1_000);
		int count = 20_000;
		try (HistoryJournal journal = journal("a");
				HistoryStream slow = StateHistory.over(this.network).build().changes(HistoryQuery.all())) {
			write(journal, 1_000, value);
			List<HistoryChange> read = new ArrayList<>(List.of(Changes.next(slow)));
			write(journal, count - 1_000, value);
			while (read.size() <= count) {
				read.add(Changes.next(slow));
			}
			assertThat(read).isEqualTo(Changes.all(journal));
			assertThat(slow.lag()).isZero();
			write(journal, 1, "live");
			assertThat(Changes.next(slow).value().toUtf8()).isEqualTo("live");
			StateHistory late = StateHistory.over(this.network).build();
			assertThat(Changes.read(late, HistoryQuery.all().after(read.get(count - 10).position()), 10))
				.extracting((change) -> change.position().offset())
				.startsWith(count - 9L);
		}
	}

	@Test
	void reportsMissingNodes() {
		StateHistory history = StateHistory.over(this.network)
			.settle(Duration.ofMillis(10))
			.timeout(Duration.ofMillis(300))
			.build();
		assertThatExceptionOfType(HistoryException.class).isThrownBy(history::rebuild)
			.withMessageContaining("No node has announced a history within PT0.3S: check the towers and the topic");
	}

	@Test
	void encryptsChanges() throws Exception {
		KeyDirectory keys = new KeyDirectory(this.directory.resolve("keys"));
		keys.create(List.of("tower", "broker", "reader"), false);
		try (Tower encrypted = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(0)
			.outPort(0)
			.curve(CurveOptions.of(keys.secretKey("tower"), keys.peers()))
			.start();
				HistoryJournal journal = HistoryJournal.builder(this.directory.resolve("a"))
					.network(network(encrypted, CurveOptions.of(keys.secretKey("broker"), keys.peers())))
					.start()) {
			write(journal, 10, "secret");
			NodeOptions reader = network(encrypted, CurveOptions.of(keys.secretKey("reader"), keys.peers()));
			assertThat(Changes.read(StateHistory.over(reader).build(), HistoryQuery.all(), 11))
				.isEqualTo(Changes.all(journal));
			StateHistory stranger = StateHistory.over(network(encrypted, null))
				.settle(Duration.ofMillis(10))
				.timeout(Duration.ofMillis(300))
				.build();
			assertThatExceptionOfType(HistoryException.class).isThrownBy(stranger::rebuild)
				.withMessageContaining("No node has announced a history");
		}
	}

	private static NodeOptions network(Tower tower, @Nullable CurveOptions curve) {
		return NodeOptions.builder()
			.tower(tower.address())
			.bindHost("127.0.0.1")
			.curve(curve)
			.highWaterMark(1_000)
			.beaconInterval(Duration.ofMillis(50))
			.build();
	}

	@Test
	void refusesToMixHistoriesOfTwoStores() {
		try (HistoryJournal first = journal("a"); HistoryJournal second = journal("b")) {
			write(first, 10, "first");
			write(second, 10, "second");
			assertThatExceptionOfType(HistoryException.class)
				.isThrownBy(() -> StateHistory.over(this.network).build().rebuild())
				.withMessageContaining("the histories of several stores")
				.withMessageContaining(first.partition().partition())
				.withMessageContaining(second.partition().partition());
			HistorySnapshot chosen = StateHistory.over(this.network)
				.partition(second.partition().partition())
				.settle(Duration.ofMillis(10))
				.build()
				.rebuild();
			assertThat(chosen).isEqualTo(second.history().rebuild());
			assertThat(chosen.entries()).hasEntrySatisfying(KEY,
					(entry) -> assertThat(entry.value().toUtf8()).isEqualTo("second"));
		}
	}

	@Test
	void closeEndsWaitingCall() throws Exception {
		try (HistoryJournal journal = journal("a")) {
			for (StateHistory history : List.of(journal.history(), StateHistory.over(this.network).build())) {
				HistoryStream stream = history.changes(HistoryQuery.all());
				Thread closing = new Thread(stream::close);
				closing.start();
				assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> stream.next(Changes.PATIENCE))
					.withMessageContaining("open the changes again");
				closing.join();
			}
		}
	}

}
