package io.statestore.broker.server;

import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Snapshots that share a slow disk with requests. */
class SnapshotPaceTests {

	private static final int KEYS = 16;

	private static final int VALUE_BYTES = 1 << 20;

	private final RestartableStore store = new RestartableStore();

	@AfterEach
	void close() {
		this.store.close();
	}

	private void setAll(RecordingConnection client) {
		for (int i = 0; i < KEYS; i++) {
			client.call(new Command.Set(Bytes.of("k" + i), Bytes.wrap(new byte[VALUE_BYTES])));
		}
	}

	@Test
	void closesSoonAfterDiskStall() throws InterruptedException {
		this.store.minLogBytes = 10_000;
		Hold hold = this.store.disk.holdSnapshots();
		setAll(this.store.connect("client"));
		Thread.sleep(4_000);
		hold.release();
		long start = System.nanoTime();
		this.store.close();
		assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(2));
	}

	/**
	 * The documentation says that the directory needs five times the size of the data.
	 */
	@Test
	void writesSnapshotAsFastAsLogGrows() {
		this.store.minLogBytes = 10_000;
		this.store.maxHeld = 64 << 20;
		this.store.segmentBytes = 8 << 20;
		RecordingConnection client = this.store.connect("client");
		setAll(client);
		this.store.disk.slowForces(10);
		for (int i = 0; i < 12; i++) {
			setAll(client);
			DurabilityStatistics statistics = this.store.server().durability().orElseThrow();
			assertThat(statistics.lastIndex() - statistics.snapshotIndex()).isLessThan(5 * KEYS);
		}
	}

}
