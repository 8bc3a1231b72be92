package io.statestore.dafka.endtoend;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.consumer.Completeness;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.store.SimulatedDisk;
import io.statestore.dafka.store.Store;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Stores with many single-record partitions, as left by producers that ran only once. */
@Timeout(180)
class ManyPartitionsTests {

	@TempDir
	Path directory;

	@Test
	void readsMorePartitionsThanCommandQueueHolds() {
		assertAllAreRead(11_000);
	}

	@Tag("long")
	@Test
	void readsSixtyThousandPartitions() {
		assertAllAreRead(60_000);
	}

	private void assertAllAreRead(int partitions) {
		SimulatedDisk.fill(this.directory, partitions);
		Set<String> read = ConcurrentHashMap.newKeySet();
		AtomicLong records = new AtomicLong();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store(this.directory);
				Consumer consumer = cluster.earliest("t").start((record) -> {
					read.add(record.partition());
					records.incrementAndGet();
				})) {
			await("every partition").until(() -> read.size() == partitions);
			await("the list of the store").until(() -> consumer.completeness() == Completeness.COMPLETE);
			assertThat(records).hasValue(partitions);
			assertThat(consumer.metrics().lost()).isZero();
			assertThat(store.metrics().node().dropped()).isZero();
			assertThat(consumer.metrics().node().dropped()).isZero();
		}
	}

}
