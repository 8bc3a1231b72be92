package io.statestore.dafka.store;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.internal.WarningLimit;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when a store declares missing records lost, depending on the producer and on
 * other stores, which may have the records. Logs missing, lost, and late records. Not
 * thread-safe.
 */
final class LossRules {

	/**
	 * How long a request is valid. Stores that wait for records repeat their requests
	 * more often.
	 */
	private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(20);

	private static final int MAX_STORES = 1_000;

	private static final int MAX_REQUESTS = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(LossRules.class);

	private final ReadingOptions reading;

	private final long lossNanos;

	/** How long a store that has the records takes at most to announce them. */
	private final long announcementNanos;

	private final Set<Bytes> otherStores = new LinkedHashSet<>();

	/** When other stores last requested records that are missing here, too. */
	private final Map<Request, Long> requests = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Request, Long> eldest) {
			return size() > MAX_REQUESTS;
		}

	};

	private final WarningLimit missingWarnings = new WarningLimit();

	private final WarningLimit lostWarnings = new WarningLimit();

	private final WarningLimit lateWarnings = new WarningLimit();

	/** Time when another store last appeared or left. */
	private long storesChangedAt;

	/** Time when the latest requested record of any partition arrived. */
	private long answeredAt;

	LossRules(ReadingOptions reading, Duration replicationInterval, long now) {
		this.reading = reading;
		this.lossNanos = reading.lossTimeout().toNanos();
		this.announcementNanos = Math.max(this.lossNanos, 3 * replicationInterval.toNanos());
		this.storesChangedAt = now;
		this.answeredAt = now;
	}

	/** Returns an unmodifiable view of the other connected stores. */
	Set<Bytes> otherStores() {
		return Collections.unmodifiableSet(this.otherStores);
	}

	/**
	 * Adds another store.
	 * @return whether the store is known; {@code false} if there are too many
	 */
	boolean appeared(Bytes store, long now) {
		if (this.otherStores.size() < MAX_STORES && this.otherStores.add(store)) {
			this.storesChangedAt = now;
		}
		return this.otherStores.contains(store);
	}

	void left(Bytes store, long now) {
		if (this.otherStores.remove(store)) {
			this.storesChangedAt = now;
		}
	}

	/** Handles the arrival of a requested record. */
	void answered(long now) {
		this.answeredAt = now;
	}

	/**
	 * Handles another store's request. A store that requests a partition's next record or
	 * an earlier record has none of the records missing here.
	 */
	void requested(Bytes store, StorePartition partition, long sequence, long now) {
		if (partition.reader.isWaiting() && sequence <= partition.reader.next() && this.otherStores.contains(store)) {
			this.requests.put(new Request(store, partition.key), now);
		}
	}

	/**
	 * Returns whether records that no node sends may be skipped. The producer must be
	 * running and wait for acknowledgments. Additionally, no node may have sent requested
	 * records recently, and no store may have announced the missing records.
	 * @param waited nanoseconds without progress
	 */
	boolean permitsSkip(StorePartition partition, long waited, long now) {
		Duration skip = this.reading.skipTimeout();
		return skip != null && partition.isProducerLive(now) && now - this.answeredAt >= this.lossNanos
				&& areStoresSettled(waited, now) && now - partition.announcedAt >= skip.toNanos();
	}

	/**
	 * Returns whether records are lost because all nodes answer with later records.
	 * Answers do not name their sender. Therefore, the number of answers must match the
	 * number of nodes, that is, the producer and each store that may have later records.
	 * The wait is limited because some nodes may never answer: a store without records of
	 * the partition, or a producer whose records are acknowledged.
	 * @param responders number of nodes that have answered each of the latest requests
	 * @param waited nanoseconds without progress
	 */
	boolean permitsLoss(StorePartition partition, int responders, long waited, long now) {
		if (!areStoresSettled(waited, now)) {
			return false;
		}
		int nodes = storesAhead(partition, waited, now) + (partition.isProducerExpected(waited, now) ? 1 : 0);
		return responders >= nodes || waited >= storeTimeoutNanos();
	}

	/**
	 * Returns the number of stores that may have records missing here. Only announcements
	 * during the current wait count: before it, a store with more records had no reason
	 * to announce them.
	 */
	private int storesAhead(StorePartition partition, long waited, long now) {
		boolean announced = now - partition.announcedAt <= waited;
		if (!announced && waited >= this.announcementNanos) {
			return 0;
		}
		int stores = 0;
		for (Bytes store : this.otherStores) {
			stores += isMissing(store, partition, waited, now) ? 0 : 1;
		}
		return stores;
	}

	/**
	 * Returns whether another store misses the same records. This is uncertain, and
	 * counts as {@code false}, if it has stopped requesting them or if a store has
	 * announced them since its request.
	 */
	private boolean isMissing(Bytes store, StorePartition partition, long waited, long now) {
		Long requestedAt = this.requests.get(new Request(store, partition.key));
		return requestedAt != null && now - requestedAt <= Math.min(waited, REQUEST_NANOS)
				&& requestedAt - partition.announcedAt > 0;
	}

	private long storeTimeoutNanos() {
		Duration skip = this.reading.skipTimeout();
		return (skip != null) ? skip.toNanos() : StorePartition.STORE_TIMEOUTS * this.lossNanos;
	}

	/**
	 * Returns whether the stores have had time to announce and request records. Stores
	 * that appear and leave repeatedly extend this time only up to a limit.
	 */
	private boolean areStoresSettled(long waited, long now) {
		return now - this.storesChangedAt >= this.lossNanos || waited >= 2 * storeTimeoutNanos();
	}

	/** Reports that no node has sent the next record for {@code lossTimeout}. */
	void reportMissing(long sequence, Object partition, long now) {
		this.missingWarnings.warn(logger, now,
				"No node sends record {} of {}. Waiting for another store that has it, or for its producer, {}",
				sequence, partition, waitingTime());
	}

	private String waitingTime() {
		Duration skip = this.reading.skipTimeout();
		return (skip != null) ? "for " + skip + " ('skipTimeout') if that producer is running"
				: "without limit ('skipTimeout' is not set)";
	}

	/** Reports records that the store has declared lost. */
	void reportLost(long first, long last, Object partition, long now) {
		if (this.lostWarnings.permits(now)) {
			logger.error(
					"Records {} to {} of {} are lost: no store or producer sent them. The store continues with"
							+ " record {}. Similar messages left out: {}",
					first, last, partition, last + 1, this.lostWarnings.suppressed());
		}
	}

	/** Reports a record that arrived after it was declared lost. */
	void reportLate(long sequence, Object partition, long now) {
		this.lateWarnings.warn(logger, now,
				"Record {} of {} arrived after this store had declared it lost. This store does not keep it. Set a"
						+ " longer 'skipTimeout', so that it waits for slow nodes",
				sequence, partition);
	}

	/** Identifies a store's requests for a partition's records. */
	private record Request(Bytes store, PartitionKey partition) {
	}

}
