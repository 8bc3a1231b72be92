package io.statestore.dafka.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.reading.RecordSink;
import io.statestore.dafka.wire.PartitionKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A partition of a consumer: what the reader makes of it, on its way to the listener. */
final class ReadPartition implements RecordSink {

	private static final Logger logger = LoggerFactory.getLogger(ReadPartition.class);

	final PartitionReader reader;

	private final PartitionKey key;

	private final TopicPartition names;

	private final ConsumerMachine machine;

	private List<DafkaRecord> records = new ArrayList<>();

	/** Counts seeks; written by the node's thread. */
	private volatile int epoch;

	/** The offset that the listener gets next, negative if not known. */
	private volatile long consumed;

	ReadPartition(PartitionKey key, ReadingOptions options, long next, ConsumerMachine machine) {
		this.key = key;
		this.names = key.names();
		this.machine = machine;
		this.consumed = next;
		this.reader = new PartitionReader(options, next, this);
	}

	PartitionKey key() {
		return this.key;
	}

	TopicPartition names() {
		return this.names;
	}

	@Override
	public boolean accept(long sequence, byte[] content) {
		if (!this.machine.delivery().hasRoom()) {
			this.machine.blocked(this);
			return false;
		}
		if (this.records.isEmpty()) {
			this.machine.readable(this);
		}
		DafkaRecord record = new DafkaRecord(this.names.topic(), this.names.partition(), sequence, Bytes.wrap(content));
		this.machine.delivery().reserve(record);
		this.records.add(record);
		return true;
	}

	@Override
	public void lost(long first, long last) {
		this.machine.lost(last - first + 1);
		handOver(Optional.of(new Batch.Lost(first, last - first + 1)));
	}

	@Override
	public void missing(long first) {
		logger.warn("Nobody gives record {} of {}: waiting for a store that has it, or for its producer", first,
				this.names);
	}

	/** Gives what was read to the listener. */
	void handOver() {
		if (!this.records.isEmpty()) {
			handOver(Optional.empty());
		}
	}

	private void handOver(Optional<Batch.Lost> lost) {
		this.machine.delivery().put(new Batch(this, this.epoch, this.records, lost));
		this.records = new ArrayList<>();
	}

	void seek(long next, long now) {
		handOver();
		synchronized (this) {
			this.epoch++;
			this.consumed = next;
		}
		this.reader.seek(next, now);
	}

	boolean isCurrent(int epoch) {
		return this.epoch == epoch;
	}

	/** Whether it still counts. */
	synchronized boolean consumed(int epoch, long next) {
		if (this.epoch != epoch) {
			return false;
		}
		this.consumed = next;
		return true;
	}

	PartitionStatus status() {
		long consumed = this.consumed;
		return new PartitionStatus((consumed >= 0) ? consumed : Math.max(0, this.reader.next()), this.reader.head());
	}

}
