package io.statestore.dafka.reading;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Spreads the requests of many partitions over time: only so many are read at once, the
 * others wait for their turn. A partition that gets no answer goes behind the waiting
 * ones, so that partitions without a source do not stop the others. For one thread.
 *
 * @param <P> the partition
 */
public final class GapFiller<P> {

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
	 * @param request sends a request
	 */
	public GapFiller(Function<P, PartitionReader> readers, BiConsumer<P, FetchRange> request) {
		this.readers = readers;
		this.request = request;
	}

	/** Adds a partition, unless nothing is missing. */
	public void add(P partition) {
		if (this.readers.apply(partition).isWaiting() && !this.active.contains(partition)) {
			this.queued.add(partition);
		}
	}

	/** Removes a partition. */
	public void remove(P partition) {
		this.active.remove(partition);
		this.queued.remove(partition);
	}

	/** Returns the partitions with requests in flight. */
	public Collection<P> active() {
		return Collections.unmodifiableCollection(this.active);
	}

	/** Returns the number of partitions whose next record is missing. */
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
	 * @return when to call it again if nothing happens before, at the latest
	 * {@code never}
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

	/** Returns whether something is still missing. */
	private boolean request(P partition, long now) {
		PartitionReader reader = this.readers.apply(partition);
		for (FetchRange range = reader.fetch(now); range != null; range = reader.fetch(now)) {
			this.request.accept(partition, range);
		}
		return reader.isWaiting();
	}

}
