package io.statestore.dafka.reading.internal;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Scheduler for the requests of many partitions. A limited number of partitions have
 * requests in flight; the others wait. A partition without an answer moves to the end of
 * the queue, so that unanswered partitions do not block the others. Not thread-safe.
 * Internal: not part of the API.
 *
 * @param <P> type of a partition
 */
final class GapFiller<P> {

	private static final int MAX_ACTIVE = 1_000;

	private final Function<P, PartitionReader> readers;

	private final BiConsumer<P, FetchRange> request;

	/** Partitions with requests in flight. */
	private final Set<P> active = new LinkedHashSet<>();

	/** Partitions that wait for their turn. */
	private final Set<P> queued = new LinkedHashSet<>();

	/**
	 * Creates a filler without partitions.
	 * @param readers returns the reader of a partition
	 * @param request sends the request for a range of a partition
	 */
	public GapFiller(Function<P, PartitionReader> readers, BiConsumer<P, FetchRange> request) {
		this.readers = readers;
		this.request = request;
	}

	/**
	 * Adds a partition if records of it are missing.
	 * @param partition the partition
	 */
	public void add(P partition) {
		if (this.readers.apply(partition).isWaiting() && !this.active.contains(partition)) {
			this.queued.add(partition);
		}
	}

	/**
	 * Removes a partition.
	 * @param partition the partition
	 */
	public void remove(P partition) {
		this.active.remove(partition);
		this.queued.remove(partition);
	}

	/**
	 * Returns the partitions with requests in flight.
	 * @return an unmodifiable view
	 */
	public Collection<P> active() {
		return Collections.unmodifiableCollection(this.active);
	}

	/**
	 * Returns the partitions that wait for their turn.
	 * @return an unmodifiable view
	 */
	public Collection<P> queued() {
		return Collections.unmodifiableCollection(this.queued);
	}

	/**
	 * Returns the number of partitions whose next record is missing.
	 * @return number of partitions
	 */
	public int stuck() {
		return stuck(this.active) + stuck(this.queued);
	}

	private int stuck(Set<P> partitions) {
		int stuck = 0;
		for (P partition : partitions) {
			stuck += this.readers.apply(partition).isStuck() ? 1 : 0;
		}
		return stuck;
	}

	/**
	 * Sends the requests that are due.
	 * @param now current time in nanoseconds
	 * @param never time to return if nothing is due
	 * @return time of the next call, unless an event occurs earlier
	 */
	public long work(long now, long never) {
		long next = never;
		for (Iterator<P> each = this.active.iterator(); each.hasNext();) {
			P partition = each.next();
			if (!this.queued.isEmpty() && this.readers.apply(partition).isOverdue(now)) {
				each.remove();
				this.readers.apply(partition).park(now);
				this.queued.add(partition);
			}
			else if (!request(partition, now)) {
				each.remove();
			}
			else {
				next = Math.min(next, this.readers.apply(partition).deadline(never));
			}
		}
		for (Iterator<P> each = this.queued.iterator(); each.hasNext() && this.active.size() < MAX_ACTIVE;) {
			P partition = each.next();
			each.remove();
			this.readers.apply(partition).unpark(now);
			if (request(partition, now)) {
				this.active.add(partition);
				next = Math.min(next, this.readers.apply(partition).deadline(never));
			}
		}
		return next;
	}

	/** Sends due requests, and returns whether records are still missing. */
	private boolean request(P partition, long now) {
		PartitionReader reader = this.readers.apply(partition);
		for (FetchRange range = reader.fetch(now); range != null; range = reader.fetch(now)) {
			this.request.accept(partition, range);
		}
		return reader.isWaiting();
	}

}
