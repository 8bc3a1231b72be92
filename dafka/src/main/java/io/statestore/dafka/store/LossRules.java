package io.statestore.dafka.store;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.wire.PartitionKey;

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

	/** Loss timeouts after which a producer that does not answer is not waited for. */
	private static final int PRODUCER_PATIENCE = 2;

	/**
	 * Time for which a request counts. Stores that wait for records repeat it earlier.
	 */
	private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(20);

	private static final int MAX_STORES = 1_000;

	private static final int MAX_REQUESTS = 10_000;

	private final ReadingOptions reading;

	private final long lossNanos;

	/** Time without progress in which a store that has the records announces them. */
	private final long announcementNanos;

	private final Set<Bytes> otherStores = new LinkedHashSet<>();

	/** When other stores last requested records that are missing here, too. */
	private final Map<Request, Long> requests = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Request, Long> eldest) {
			return size() > MAX_REQUESTS;
		}

	};

	/** When another store last appeared or left. */
	private long storesChangedAt;

	/** When the latest requested record arrived, of any partition. */
	private long answeredAt;

	LossRules(ReadingOptions reading, Duration replicationInterval, long now) {
		this.reading = reading;
		this.lossNanos = reading.lossTimeout().toNanos();
		this.announcementNanos = Math.max(this.lossNanos, 3 * replicationInterval.toNanos());
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

	/**
	 * Handles a request of another store. If it requests the next record of a partition,
	 * or an earlier one, then it has no record that is missing here.
	 */
	void requested(Bytes store, StorePartition partition, long sequence, long now) {
		if (partition.reader.isWaiting() && sequence <= partition.reader.next() && this.otherStores.contains(store)) {
			this.requests.put(new Request(store, partition.key()), now);
		}
	}

	/** Returns a time so long ago that a producer heard then does not count as live. */
	long beforeProducer(long now) {
		return now - producerNanos();
	}

	/**
	 * Returns whether only skipping can help a partition: its producer waits for
	 * acknowledgments, no node sends requested records, and no store has announced those
	 * that are missing.
	 * @param waited nanoseconds without progress
	 */
	boolean permitsSkip(StorePartition partition, long waited, long now) {
		Duration skip = this.reading.skipTimeout();
		return skip != null && isProducerLive(partition, now) && now - this.answeredAt >= this.lossNanos
				&& areStoresSettled(waited, now) && now - partition.announcedAt >= skip.toNanos();
	}

	/**
	 * Returns whether no other node may have the records before those that nodes answer
	 * with. The answers do not tell who sent them, so each store that may have later
	 * records, and the producer, must have sent one. A node may have no record of the
	 * partition, and a producer does not answer for acknowledged records. The wait for
	 * them is therefore limited.
	 * @param responders number of nodes that answered each of the latest requests
	 * @param waited nanoseconds without progress
	 */
	boolean permitsLoss(StorePartition partition, int responders, long waited, long now) {
		if (!areStoresSettled(waited, now)) {
			return false;
		}
		boolean producer = isProducerLive(partition, now) && waited < PRODUCER_PATIENCE * this.lossNanos;
		int nodes = storesAhead(partition, waited, now) + (producer ? 1 : 0);
		return responders >= nodes || waited >= patienceNanos();
	}

	/**
	 * Returns the number of stores that may have records that are missing here. Before
	 * this wait, a store that was ahead had no reason to announce anything, so only the
	 * silence during the wait counts.
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
	 * Returns whether a store misses the same records. It may have received them if it no
	 * longer requests them, or if a store announced them after the request.
	 */
	private boolean isMissing(Bytes store, StorePartition partition, long waited, long now) {
		Long requestedAt = this.requests.get(new Request(store, partition.key()));
		return requestedAt != null && now - requestedAt <= Math.min(waited, REQUEST_NANOS)
				&& requestedAt - partition.announcedAt > 0;
	}

	private long patienceNanos() {
		Duration skip = this.reading.skipTimeout();
		return (skip != null) ? skip.toNanos() : PATIENCE * this.lossNanos;
	}

	/**
	 * Returns whether the time in which stores may announce or request is over. Stores
	 * that come and go all the time extend it only up to a limit.
	 */
	private boolean areStoresSettled(long waited, long now) {
		return now - this.storesChangedAt >= this.lossNanos || waited >= 2 * patienceNanos();
	}

	private boolean isProducerLive(StorePartition partition, long now) {
		return now - partition.producerAt < producerNanos();
	}

	private long producerNanos() {
		return Math.max(PRODUCER_NANOS, this.lossNanos);
	}

	/** Identifies requests of a store for records of a partition. */
	private record Request(Bytes store, PartitionKey partition) {
	}

}
