package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionLimit;

/** A consumer's machine, which begins with the earliest records of one topic. */
public final class SimulatedConsumer {

	private final ConsumerMachine machine;

	private final Delivery delivery;

	public SimulatedConsumer(String topic, ReadingOptions reading, RecordListener listener, Machine.Output output,
			long now) {
		this.delivery = new Delivery("listener", new ListenerCalls(listener), new WaitingRecords(1_000_000, 1 << 30),
				OffsetStore.memory(), Duration.ofSeconds(1), Ticker.SYSTEM);
		this.machine = new ConsumerMachine(Bytes.of(Node.newAddress()), Set.of(Bytes.of(topic)), reading,
				Duration.ofSeconds(1).toNanos(), Duration.ofSeconds(1).toNanos(), Map.of(), 0,
				new PartitionLimit(1_000), output, this.delivery, now);
		this.delivery.start(() -> {
		});
	}

	public Machine machine() {
		return this.machine;
	}

	/**
	 * Returns the number of records read, some of which the listener may receive only
	 * later.
	 */
	public long read() {
		return this.machine.partitions().live().stream().mapToLong((partition) -> partition.reader.next()).sum()
				+ this.machine.partitions().finishedRecords.sum();
	}

	/** Returns the number of records declared lost. */
	public long lost() {
		return this.machine.lost.sum();
	}

	public void close() throws InterruptedException {
		this.delivery.stop();
		this.delivery.awaitEnd(Duration.ofSeconds(10));
	}

}
