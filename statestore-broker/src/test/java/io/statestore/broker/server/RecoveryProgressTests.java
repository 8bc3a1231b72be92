package io.statestore.broker.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.RecoveryProgress;
import io.statestore.broker.storage.RecoveryProgress.Part;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/** Progress that a recovery reports to its listener. */
class RecoveryProgressTests {

	private static final int KEYS = 500;

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	private final List<RecoveryProgress> progress = new ArrayList<>();

	private void write() {
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < KEYS; i++) {
			client.call(new Command.Set(Bytes.of("k" + i), Bytes.of("v".repeat(100))));
		}
	}

	private DurabilityStatistics restart(RecoveryListener listener) {
		this.store.close();
		this.store.recoveryListener = listener;
		return this.store.server().durability().orElseThrow();
	}

	@Test
	void reportsNothingForNewStore() {
		restart(this.progress::add);
		assertThat(this.progress).isEmpty();
	}

	@Test
	void reportsLogFromFirstBatchToEnd() {
		write();
		DurabilityStatistics durability = restart(this.progress::add);
		RecoveryProgress first = this.progress.get(0);
		assertThat(first.directory()).isEqualTo(Path.of("/store"));
		assertThat(first.part()).isEqualTo(Part.LOG);
		assertThat(first.entries()).isPositive().isLessThan(KEYS);
		assertThat(first.fraction()).isPositive().isLessThan(0.1);
		RecoveryProgress last = this.progress.get(this.progress.size() - 1);
		assertThat(last.entries()).isEqualTo(durability.recoveredEntries()).isGreaterThanOrEqualTo(KEYS);
		assertThat(last.fraction()).isEqualTo(1);
	}

	@Test
	void reportsSnapshotBeforeLog() {
		this.store.minLogBytes = 20_000;
		write();
		await("a snapshot").untilAsserted(() -> {
			write();
			assertThat(this.store.server().durability().orElseThrow().snapshotIndex()).isPositive();
		});
		DurabilityStatistics durability = restart(this.progress::add);
		assertThat(this.progress.get(0).part()).isEqualTo(Part.SNAPSHOT);
		assertThat(this.progress.get(0).bytesTotal()).isEqualTo(durability.snapshotBytes());
		assertThat(this.progress).extracting(RecoveryProgress::part).isSorted().endsWith(Part.LOG);
		assertThat(this.progress.get(this.progress.size() - 1).fraction()).isEqualTo(1);
	}

	@Test
	void reportsLongRecoveryRepeatedly() {
		write();
		CountDownLatch never = new CountDownLatch(1);
		restart((reached) -> {
			this.progress.add(reached);
			if (this.progress.size() < 4) {
				// Longer than the interval of the reports
				assertThatNoException().isThrownBy(() -> never.await(150, TimeUnit.MILLISECONDS));
			}
		});
		assertThat(this.progress).hasSizeGreaterThanOrEqualTo(4);
		assertThat(this.progress).extracting(RecoveryProgress::bytesDone).isSorted();
		assertThat(this.progress).extracting(RecoveryProgress::entries).isSorted();
	}

	@Test
	void failingListenerFailsStartAndReleasesDirectory() {
		write();
		assertThatIllegalStateException().isThrownBy(() -> restart((reached) -> {
			throw new IllegalStateException("on purpose");
		})).withMessage("on purpose");
		assertThat(restart(this.progress::add).recoveredEntries()).isGreaterThanOrEqualTo(KEYS);
	}

}
