package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.reading.internal.ReadingMachine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionReader;
import org.jspecify.annotations.Nullable;

/**
 * Partition of a consumer. Passes the records of its reader to the listener in batches,
 * and decides when missing records are lost. Used by the thread of the node, except where
 * noted.
 */
final class ReadPartition implements PartitionReader.Sink, ReadingMachine.Partition {

	/** Loss timeouts after which a store that does not answer has none of the records. */
	private static final int STORE_TIMEOUTS = 12;

	/** Loss timeouts after which the answer of a producer is no longer required. */
	private static final int PRODUCER_TIMEOUTS = 2;

	/** Minimum time for which a producer counts as connected after its latest message. */
	private static final long PRODUCER_NANOS = TimeUnit.SECONDS.toNanos(5);

	final PartitionReader reader;

	/** Time when the latest record or head of this partition arrived. */
	long heardAt;

	private final PartitionKey key;

	private final Owner owner;

	private final StoreListings stores;

	private final Delivery delivery;

	private final Progress progress;

	private final long lossNanos;

	/** Time when the latest record or head arrived from its producer. */
	private long producerAt;

	/** Time of the change of stores since which answers count. */
	private long answersSince;

	/** Whether a record was accepted, or declared lost. */
	private boolean started;

	private List<DafkaRecord> records = new ArrayList<>();

	ReadPartition(PartitionKey key, Duration lossTimeout, long next, Owner owner, StoreListings stores,
			Delivery delivery, long now) {
		this.key = key;
		this.owner = owner;
		this.stores = stores;
		this.delivery = delivery;
		this.progress = new Progress(key.names(), next);
		this.lossNanos = lossTimeout.toNanos();
		this.producerAt = now - producerNanos();
		this.answersSince = stores.changedAt();
		this.reader = owner.reader(next, this);
	}

	@Override
	public PartitionKey key() {
		return this.key;
	}

	@Override
	public PartitionReader reader() {
		return this.reader;
	}

	TopicPartition names() {
		return this.progress.partition();
	}

	@Override
	public boolean accept(long sequence, byte[] content) {
		if (!this.delivery.waiting().hasRoom()) {
			this.owner.addBlocked(this);
			return false;
		}
		if (this.records.isEmpty()) {
			this.owner.addReadable(this);
		}
		DafkaRecord record = new DafkaRecord(names().topic(), names().partition(), sequence, Bytes.wrap(content));
		this.delivery.waiting().add(record);
		this.started = true;
		this.records.add(record);
		return true;
	}

	@Override
	public void lost(long first, long last) {
		this.started = true;
		this.owner.countLost(last - first + 1);
		handOver(new Batch.Lost(first, last - first + 1));
	}

	/**
	 * Returns whether no node may have the missing records, because all nodes answer with
	 * later ones. Answers do not name their sender, so each connected store and the
	 * producer must have sent one. A store may have no record of the partition, and a
	 * producer does not answer for acknowledged records. The wait for them is therefore
	 * limited. Without a store, the answer of the producer is sufficient.
	 */
	@Override
	public boolean permitsLoss(int responders, long waited, long now) {
		long timeout = STORE_TIMEOUTS * this.lossNanos;
		if (waited < 2 * timeout && !areStoresSettled(waited, now)) {
			return false;
		}
		int stores = this.stores.size();
		boolean producer = now - this.producerAt < producerNanos() && waited < PRODUCER_TIMEOUTS * this.lossNanos;
		return stores == 0 || responders >= stores + (producer ? 1 : 0) || waited >= timeout;
	}

	/**
	 * Returns whether the same stores have been connected for one loss timeout, so that
	 * the answers are theirs. A change of stores discards earlier answers. Stores that
	 * keep connecting and disconnecting extend the wait only up to a limit.
	 */
	private boolean areStoresSettled(long waited, long now) {
		long changedAt = this.stores.changedAt();
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
		this.owner.reportMissing(names(), first);
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

	/** Returns whether the listener has processed every known record. */
	boolean isFinished() {
		long next = this.reader.next();
		return next >= 0 && next > this.reader.head() && this.records.isEmpty()
				&& (!this.started || this.progress.next() == next);
	}

	/** Returns whether no record was ever accepted or declared lost. */
	boolean isUnread() {
		return !this.started;
	}

	/** Passes the records that were read to the listener. */
	void handOver() {
		if (!this.records.isEmpty()) {
			handOver(null);
		}
	}

	private void handOver(Batch.@Nullable Lost lost) {
		this.delivery.put(new Batch(this.progress, this.records, lost));
		this.records = new ArrayList<>();
	}

	/**
	 * Continues with another record. Records on their way to the listener are discarded.
	 */
	void seek(long next, long now) {
		handOver();
		this.progress.seek(next);
		this.reader.seek(next, now);
	}

	/** Returns the progress of the listener. Any thread may call it. */
	PartitionStatus status() {
		long next = this.progress.next();
		return new PartitionStatus((next >= 0) ? next : Math.max(0, this.reader.next()), this.reader.head());
	}

	/** Consumer of the partition. */
	interface Owner {

		/** Creates the reader of a partition. */
		PartitionReader reader(long next, PartitionReader.Sink sink);

		/** Adds a partition with records to hand over. */
		void addReadable(ReadPartition partition);

		/** Adds a partition without room for its next record. */
		void addBlocked(ReadPartition partition);

		/** Counts lost records. */
		void countLost(long count);

		/**
		 * Reports that no node sends the next record.
		 * @param record offset of the record
		 */
		void reportMissing(TopicPartition partition, long record);

	}

}
