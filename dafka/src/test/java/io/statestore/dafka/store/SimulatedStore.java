package io.statestore.dafka.store;

import java.time.Duration;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionLimit;

/** A store's machine, with an engine that survives it. */
public final class SimulatedStore {

	private final RecordLog log;

	private final StoreMachine machine;

	public SimulatedStore(SimulatedDisk disk, ReadingOptions reading, Machine.Output output, long now) {
		this.log = new RecordLog(disk.engine);
		this.machine = new StoreMachine(Bytes.of(Node.newAddress()),
				Store.builder(NodeOptions.tower("tower"))
					.retentionTime(Duration.ofDays(1_000))
					.replicationInterval(Duration.ofSeconds(1))
					.reading(reading),
				new PartitionLimit(1_000), this.log, output, now);
	}

	public Machine machine() {
		return this.machine;
	}

	/** Returns the number of records that were declared lost. */
	public long lost() {
		return this.machine.lost.sum();
	}

	/** Returns the number of written records. */
	public long written() {
		return this.log.partitions().stream().mapToLong((partition) -> partition.next()).sum();
	}

}
