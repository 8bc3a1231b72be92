package io.statestore.dafka.store;

import java.nio.file.Path;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;

/** A store's records, which survive the store, for tests in other packages. */
public final class SimulatedDisk {

	final MemoryEngine engine = new MemoryEngine();

	/** Returns the storage of a store that has removed the oldest of its ten records. */
	public static SimulatedDisk withoutOldest(PartitionKey key, int removed) {
		SimulatedDisk disk = new SimulatedDisk();
		RecordLog log = new RecordLog(disk.engine);
		StoredPartition partition = log.partition(key);
		long millis = System.currentTimeMillis();
		for (int i = 0; i < 10; i++) {
			log.append(partition, new byte[1]);
			log.flush(false, millis + i);
		}
		log.retain(millis + removed, Long.MAX_VALUE);
		return disk;
	}

	/** Writes partitions of ended producers. */
	public static void fill(Path directory, int partitions) {
		RecordLog log = new RecordLog(RocksEngine.open(directory));
		try {
			for (int i = 0; i < partitions; i++) {
				PartitionKey key = new PartitionKey(Bytes.of("%032X".formatted(i)), Bytes.of("t"));
				log.append(log.partition(key), new byte[] { 1 });
			}
			log.flush(true, System.currentTimeMillis());
		}
		finally {
			log.close();
		}
	}

}
