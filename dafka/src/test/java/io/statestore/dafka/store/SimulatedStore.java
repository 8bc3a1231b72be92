package io.statestore.dafka.store;

import java.time.Duration;
import java.time.InstantSource;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.Machine;

/** Machine of a store, with an engine that survives it. */
public final class SimulatedStore {

	private final RecordLog log;

	private final StoreMachine machine;

	public SimulatedStore(SimulatedDisk disk, ReadingOptions reading, Machine.Output output, long now) {
		this.log = new RecordLog(disk.engine);
		this.machine = new StoreMachine(
				Bytes.of(Node.newAddress()), new StoreSettings(Fsync.NEVER, Duration.ofDays(1_000), Long.MAX_VALUE,
						Duration.ofSeconds(10), Duration.ofSeconds(1), reading, 1_000, InstantSource.system()),
				this.log, output, now);
	}

	public Machine machine() {
		return this.machine;
	}

	/** Returns the number of records that were declared lost. */
	public long lost() {
		return this.machine.counters().lost.sum();
	}

	/** Returns the number of written records. */
	public long written() {
		return this.log.partitions().stream().mapToLong((partition) -> partition.next()).sum();
	}

}
