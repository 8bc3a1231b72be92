package io.statestore.dafka.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.reading.ReadingBudget;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.reading.RecordSink;
import io.statestore.dafka.wire.PartitionKey;

/** A partition of a consumer: what the reader makes of it, on its way to the listener. */
final class ReadPartition implements RecordSink {

	/**
	 * Loss timeouts after which a store that does not answer counts as one that never had
	 * the records.
	 */
	private static final int PATIENCE = 12;

	final PartitionReader reader;

	private final PartitionKey key;

	private final TopicPartition names;

	private final ConsumerMachine machine;

	private final long patienceNanos;

	/** Last record that a store has announced, -1 if there is none. */
	private long announcedTo = -1;

	/** When the latest record or head of it arrived. */
	long heardAt;

	/** Whether a record was ever accepted, or given up. */
	private boolean started;

	private List<DafkaRecord> records = new ArrayList<>();

	/** Counts seeks; written by the node's thread. */
	private volatile int epoch;

	/** The offset that the listener gets next, negative if not known. */
	private volatile long consumed;

	ReadPartition(PartitionKey key, ReadingOptions options, long next, ReadingBudget budget, ConsumerMachine machine) {
		this.key = key;
		this.names = key.names();
		this.machine = machine;
		this.patienceNanos = PATIENCE * options.lossTimeout().toNanos();
		this.consumed = next;
		this.reader = new PartitionReader(options, next, this, budget);
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
		this.started = true;
		this.records.add(record);
		return true;
	}

	@Override
	public void lost(long first, long last) {
		this.started = true;
		this.machine.lost(last - first + 1);
		handOver(Optional.of(new Batch.Lost(first, last - first + 1)));
	}

	/**
	 * Returns whether no store may have the records before those that nodes answer with.
	 * The answers do not tell who sent them, so there must be one for each connected
	 * store, once a store has announced later records. Only a store without any record of
	 * the partition does not answer, therefore the wait is limited.
	 */
	@Override
	public boolean permitsLoss(int responders, long waited, long now) {
		return this.announcedTo < this.reader.next() || responders >= this.machine.stores()
				|| waited >= this.patienceNanos;
	}

	@Override
	public void missing(long first) {
		this.machine.missing(this.names, first);
	}

	/** Handles the announcement of the last record of a store. */
	void storedHead(long sequence, long now) {
		this.announcedTo = Math.max(this.announcedTo, sequence);
		this.reader.storedHead(sequence, now);
	}

	/** Returns whether the listener has had every record that is known. */
	boolean isFinished() {
		long next = this.reader.next();
		return next >= 0 && next > this.reader.head() && this.records.isEmpty()
				&& (!this.started || this.consumed == next);
	}

	/** Returns whether there never was a record to deliver. */
	boolean isUnread() {
		return !this.started;
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
		// A store may have any earlier record, even if it has not announced it again.
		this.announcedTo = Math.max(this.announcedTo, this.reader.head());
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
