package io.statestore.dafka.producer;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.reading.internal.Machine;

/** A producer's machine, with futures. */
public final class SimulatedProducer {

	private final Identity identity = Identity.random();

	private final Bytes address = Bytes.of(this.identity.address());

	private final long next;

	private final long acknowledgedTo;

	private final MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE / 2);

	private final SendQueue queue = new SendQueue();

	private final ProducerMachine machine;

	private final Map<String, ProducerPartition> partitions = new HashMap<>();

	public SimulatedProducer(Machine.Output output) {
		this(output, 0, 0);
	}

	/**
	 * Creates a producer that was restarted and lost its unacknowledged records.
	 * @param next sequence number of the next record in each topic
	 * @param acknowledgedTo number of acknowledged records in each topic
	 */
	public SimulatedProducer(Machine.Output output, long next, long acknowledgedTo) {
		this.next = next;
		this.acknowledgedTo = acknowledgedTo;
		this.machine = new ProducerMachine(this.address, output, this.queue, this.budget, false,
				Duration.ofSeconds(1).toNanos(), new Completions(this.budget),
				new Holds(Duration.ofSeconds(10).toNanos()));
	}

	public String address() {
		return this.identity.address();
	}

	public Machine machine() {
		return this.machine;
	}

	public CompletableFuture<Position> send(String topic, Bytes content) {
		ProducerPartition partition = this.partitions.computeIfAbsent(topic, this::partition);
		CompletableFuture<Position> future = new CompletableFuture<>();
		this.queue.add(new Pending(partition, content, future));
		return future;
	}

	private ProducerPartition partition(String topic) {
		Identity.Counter counter = this.identity.counter(topic);
		counter.setNext(this.next);
		counter.setAcknowledged(this.acknowledgedTo);
		return new ProducerPartition(this.address, Bytes.of(topic), counter);
	}

	public long acknowledged() {
		return this.machine.acknowledged.sum();
	}

}
