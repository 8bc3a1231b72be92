package io.statestore.dafka.store;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.ReadingOptions;

/**
 * Decides when a store may continue without records that are missing, and knows the other
 * stores that may have them. For one thread.
 */
final class LossRules {

	/** Time within which a producer was heard that still waits for acknowledgments. */
	private static final long PRODUCER_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * Loss timeouts after which another store that does not answer counts as one that
	 * never had the records, if {@code skipTimeout} is not set.
	 */
	private static final int PATIENCE = 12;

	private static final int MAX_STORES = 1_000;

	private final ReadingOptions reading;

	private final long lossNanos;

	private final Set<Bytes> otherStores = new LinkedHashSet<>();

	/** When another store last appeared or left. */
	private long storesChangedAt;

	/** When the latest requested record arrived, of any partition. */
	private long answeredAt;

	LossRules(ReadingOptions reading, long now) {
		this.reading = reading;
		this.lossNanos = reading.lossTimeout().toNanos();
		this.storesChangedAt = now;
		this.answeredAt = now;
	}

	/** Returns the other stores that are connected. */
	Set<Bytes> otherStores() {
		return Collections.unmodifiableSet(this.otherStores);
	}

	/**
	 * Adds another store.
	 * @return whether it is known now; {@code false} if there are too many
	 */
	boolean appeared(Bytes store, long now) {
		if (this.otherStores.contains(store)) {
			return true;
		}
		if (this.otherStores.size() >= MAX_STORES) {
			return false;
		}
		this.otherStores.add(store);
		this.storesChangedAt = now;
		return true;
	}

	/** Removes a store whose connection ended. */
	void left(Bytes store, long now) {
		if (this.otherStores.remove(store)) {
			this.storesChangedAt = now;
		}
	}

	/** Handles a requested record. */
	void answered(long now) {
		this.answeredAt = now;
	}

	/** Returns a time so long ago that a producer heard then does not count as live. */
	long beforeProducer(long now) {
		return now - producerNanos();
	}

	/**
	 * Returns whether only skipping can help a partition: its producer waits for
	 * acknowledgments, no node sends requested records, and no store has announced those
	 * that are missing.
	 */
	boolean permitsSkip(StorePartition partition, long now) {
		Duration skip = this.reading.skipTimeout();
		return skip != null && isProducerLive(partition, now) && now - this.answeredAt >= this.lossNanos
				&& areStoresSettled(now) && now - partition.announcedAt >= skip.toNanos();
	}

	/**
	 * Returns whether no other node may have the records before those that nodes answer
	 * with. The answers do not tell who sent them, so each store that is connected, and
	 * the producer, must have sent one. A node without any record of the partition sends
	 * none, therefore the wait for it is limited.
	 * @param responders number of nodes that answered each of the latest requests
	 * @param waited nanoseconds without progress
	 */
	boolean permitsLoss(StorePartition partition, int responders, long waited, long now) {
		int nodes = this.otherStores.size() + (isProducerLive(partition, now) ? 1 : 0);
		return areStoresSettled(now) && (responders >= nodes || waited >= patienceNanos());
	}

	private long patienceNanos() {
		Duration skip = this.reading.skipTimeout();
		return (skip != null) ? skip.toNanos() : PATIENCE * this.lossNanos;
	}

	/** Returns whether the time in which stores may announce or request is over. */
	private boolean areStoresSettled(long now) {
		return now - this.storesChangedAt >= this.lossNanos;
	}

	private boolean isProducerLive(StorePartition partition, long now) {
		return now - partition.producerAt < producerNanos();
	}

	private long producerNanos() {
		return Math.max(PRODUCER_NANOS, this.lossNanos);
	}

}
