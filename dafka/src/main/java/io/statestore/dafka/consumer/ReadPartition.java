package io.statestore.dafka.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

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

	/** Loss timeouts after which a producer that does not answer is not waited for. */
	private static final int PRODUCER_PATIENCE = 2;

	/** Shortest time within which a producer was heard that may answer. */
	private static final long PRODUCER_NANOS = TimeUnit.SECONDS.toNanos(5);

	final PartitionReader reader;

	private final PartitionKey key;

	private final TopicPartition names;

	private final ConsumerMachine machine;

	private final long lossNanos;

	/** When the latest record or head from its producer arrived. */
	private long producerAt;

	/** The change of stores since which answers count. */
	private long answersSince;

	/** When the latest record or head of it arrived. */
	long heardAt;

	/** Whether a record was ever accepted, or given up. */
	private boolean started;

	private List<DafkaRecord> records = new ArrayList<>();

	/** Counts seeks; written by the node's thread. */
	private volatile int epoch;

	/** The offset that the listener gets next, negative if not known. */
	private volatile long consumed;

	ReadPartition(PartitionKey key, ReadingOptions options, long next, ReadingBudget budget, ConsumerMachine machine,
			long now) {
		this.key = key;
		this.names = key.names();
		this.machine = machine;
		this.lossNanos = options.lossTimeout().toNanos();
		this.producerAt = now - producerNanos();
		this.answersSince = machine.storesChangedAt();
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
	 * The answers do not tell who sent them, so there must be one from each connected
	 * store and from the producer. A store may have no record of the partition, and a
	 * producer does not answer for acknowledged records. The wait for them is therefore
	 * limited. Without a store, the answer of the producer is enough.
	 */
	@Override
	public boolean permitsLoss(int responders, long waited, long now) {
		long patience = PATIENCE * this.lossNanos;
		if (waited < 2 * patience && !areStoresSettled(waited, now)) {
			return false;
		}
		int stores = this.machine.stores();
		boolean producer = now - this.producerAt < producerNanos() && waited < PRODUCER_PATIENCE * this.lossNanos;
		return stores == 0 || responders >= stores + (producer ? 1 : 0) || waited >= patience;
	}

	/**
	 * Returns whether the stores have been the same for a while, and sent the answers.
	 * Stores that come and go all the time extend the wait only up to a limit.
	 */
	private boolean areStoresSettled(long waited, long now) {
		long changedAt = this.machine.storesChangedAt();
		if (this.answersSince != changedAt && now - changedAt < waited) {
			this.answersSince = changedAt;
			this.reader.forgetAnswers();
			return false;
		}
		return now - changedAt >= this.lossNanos;
	}

	private long producerNanos() {
		return Math.max(PRODUCER_NANOS, this.lossNanos);
	}

	@Override
	public void missing(long first) {
		this.machine.missing(this.names, first);
	}

	/** Handles a published record. */
	void published(long sequence, byte[] content, long now) {
		this.producerAt = now;
		this.reader.published(sequence, content, now);
	}

	/** Handles the announcement of the last record of the producer. */
	void publishedHead(long sequence, long now) {
		this.producerAt = now;
		this.reader.publishedHead(sequence, now);
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
