package io.statestore.dafka.reading.internal;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import org.jspecify.annotations.Nullable;

/**
 * Machine for a node that reads partitions: a consumer or a store. Passes each record to
 * its partition and requests missing records. Not thread-safe. Internal: not part of the
 * API.
 *
 * @param <P> type of a partition
 */
public abstract class ReadingMachine<P extends ReadingMachine.Partition> implements Machine {

	private static final int MAX_ACTIVE = 1_000;

	/** Wire form of the node's address. */
	protected final Bytes address;

	/** Sends this machine's commands and records. */
	protected final Output output;

	/** Number of requests for missing records. */
	public final LongAdder fetches = new LongAdder();

	private final ReadingOptions options;

	private final ReadingBudget budget;

	private final HeaderCache<P> headers = new HeaderCache<>();

	/** Partitions with requests in flight. */
	private final Set<P> active = new LinkedHashSet<>();

	/** Partitions waiting for their turn to send requests. */
	private final Set<P> queued = new LinkedHashSet<>();

	/**
	 * Creates a machine without partitions.
	 * @param address wire form of the node's address
	 * @param output sends commands and records
	 * @param options options for filling gaps
	 */
	protected ReadingMachine(Bytes address, Output output, ReadingOptions options) {
		this.address = address;
		this.output = output;
		this.options = options;
		this.budget = new ReadingBudget(options.windowBytes());
	}

	@Override
	public final boolean received(byte[] header, byte @Nullable [] content, long now) {
		P partition = (content != null) ? this.headers.find(header) : null;
		if (partition != null && content != null) {
			long sequence = Command.Headers.sequence(header);
			boolean valid = sequence >= 0 && sequence < Command.MAX_SEQUENCE;
			if (valid) {
				arrived(partition, sequence, content, header[0] == Codec.DIRECT_RECORD, now);
			}
			return valid;
		}
		Command command = Command.decode(header, content);
		if (command instanceof Command.Record record && content != null) {
			partition = open(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				arrived(partition, record.sequence(), content, false, now);
			}
		}
		else if (command instanceof Command.DirectRecord record && content != null
				&& record.recipient().equals(this.address)) {
			partition = openRequested(new PartitionKey(record.address(), record.subject()), now);
			if (partition != null) {
				this.headers.remember(header, partition);
				arrived(partition, record.sequence(), content, true, now);
			}
		}
		else if (command instanceof Command.Head head) {
			partition = open(new PartitionKey(head.address(), head.subject()), now);
			if (partition != null) {
				partition.producerAt = now;
				partition.reader.publishedHead(head.sequence(), now);
				fillGap(partition);
				announced(partition);
			}
		}
		else if (command instanceof Command.DirectHead head && head.recipient().equals(this.address)) {
			storedHead(new PartitionKey(head.address(), head.subject()), head.sequence(), now);
		}
		else if (command != null) {
			received(command, now);
		}
		return command != null;
	}

	private void arrived(P partition, long sequence, byte[] content, boolean direct, long now) {
		partition.heardAt = now;
		partition.producerAt = direct ? partition.producerAt : now;
		record(partition, sequence, content, direct, now);
	}

	/**
	 * Returns the partition of a published record or head, opening it if necessary.
	 * @param key key of the partition
	 * @param now current time in nanoseconds
	 * @return the partition, or {@code null} if this node does not read it
	 */
	protected abstract @Nullable P open(PartitionKey key, long now);

	/**
	 * Returns the partition of a requested record.
	 * @param key key of the partition
	 * @param now current time in nanoseconds
	 * @return the partition, or {@code null} if this node does not read it
	 */
	protected abstract @Nullable P openRequested(PartitionKey key, long now);

	/**
	 * Handles a record by passing it to its partition's reader, which delivers records in
	 * order.
	 * @param partition partition of the record
	 * @param sequence sequence number of the record
	 * @param content record content
	 * @param direct whether the record was requested
	 * @param now current time in nanoseconds
	 */
	protected void record(P partition, long sequence, byte[] content, boolean direct, long now) {
		if (direct) {
			partition.reader.fetched(sequence, content, now);
		}
		else {
			partition.reader.published(sequence, content, now);
		}
		fillGap(partition);
	}

	/**
	 * Called after a producer has announced its last record.
	 * @param partition the producer's partition
	 */
	protected void announced(P partition) {
	}

	/**
	 * Handles a head sent by a store.
	 * @param key key of the partition
	 * @param sequence sequence number of the store's last record
	 * @param now current time in nanoseconds
	 */
	protected abstract void storedHead(PartitionKey key, long sequence, long now);

	/**
	 * Handles any other command.
	 * @param command neither a record nor a head
	 * @param now current time in nanoseconds
	 */
	protected abstract void received(Command command, long now);

	/**
	 * Returns the memory used by records kept beyond gaps.
	 * @return number of bytes, including overhead
	 */
	public final long buffered() {
		return this.budget.used();
	}

	/**
	 * Requests a partition's missing records, if there are any.
	 * @param partition partition that may have a gap
	 */
	protected final void fillGap(P partition) {
		if (partition.reader.isWaiting() && !this.active.contains(partition)) {
			this.queued.add(partition);
		}
	}

	/**
	 * Returns the partitions with missing records.
	 * @return partitions that request records or wait for their turn
	 */
	protected final Stream<P> incomplete() {
		return Stream.concat(this.active.stream(), this.queued.stream());
	}

	/**
	 * Removes a partition, ending its requests.
	 * @param partition partition that is no longer read
	 */
	protected final void remove(P partition) {
		this.active.remove(partition);
		this.queued.remove(partition);
		this.headers.clear();
	}

	/**
	 * Requests records.
	 * @param partition partition of the records
	 * @param first sequence number of the first record to request
	 * @param count number of records to request
	 */
	protected final void fetch(P partition, long first, int count) {
		PartitionKey key = partition.key;
		this.output.send(new Command.Fetch(key.address(), this.address, key.subject(), first, count));
	}

	/**
	 * Returns the number of partitions whose next record is missing.
	 * @return number of partitions
	 */
	protected final int stuck() {
		return (int) incomplete().filter((partition) -> partition.reader.isStuck()).count();
	}

	/**
	 * Sends the requests that are due. Only a limited number of partitions have requests
	 * in flight; the others wait. A partition whose request isn't answered moves to the
	 * end of the queue, so that it does not block the others.
	 * @param now current time in nanoseconds
	 * @param never time to return if nothing is due
	 * @return time of the next call, unless an event occurs earlier
	 */
	protected final long requestMissing(long now, long never) {
		long next = never;
		for (Iterator<P> each = this.active.iterator(); each.hasNext();) {
			P partition = each.next();
			if (!this.queued.isEmpty() && partition.reader.isOverdue(now)) {
				each.remove();
				partition.reader.park(now);
				this.queued.add(partition);
			}
			else if (!requestDue(partition, now)) {
				each.remove();
			}
			else {
				next = Math.min(next, partition.reader.deadline(never));
			}
		}
		for (Iterator<P> each = this.queued.iterator(); each.hasNext() && this.active.size() < MAX_ACTIVE;) {
			P partition = each.next();
			each.remove();
			partition.reader.unpark(now);
			if (requestDue(partition, now)) {
				this.active.add(partition);
				next = Math.min(next, partition.reader.deadline(never));
			}
		}
		return next;
	}

	/** Sends due requests and returns whether records are still missing. */
	private boolean requestDue(P partition, long now) {
		PartitionReader reader = partition.reader;
		for (FetchRange range = reader.fetch(now); range != null; range = reader.fetch(now)) {
			this.fetches.increment();
			fetch(partition, range.first(), range.count());
		}
		return reader.isWaiting();
	}

	/** Partition that a node reads. Receives the records from its reader. */
	public abstract static class Partition implements PartitionReader.Sink {

		/**
		 * Number of loss timeouts after which a store that does not answer is presumed to
		 * have none of the records.
		 */
		public static final int STORE_TIMEOUTS = 12;

		/** Number of loss timeouts to wait for the producer's answer. */
		private static final int PRODUCER_TIMEOUTS = 2;

		/**
		 * How long a producer counts as running after its latest message, at least.
		 */
		private static final long PRODUCER_NANOS = 5_000_000_000L;

		/** Identifies this partition. */
		public final PartitionKey key;

		/** Delivers this partition's records in order. */
		public final PartitionReader reader;

		/** Time when the latest record or head arrived. */
		public long heardAt;

		private final long lossNanos;

		/** Time when the latest record or head arrived from the producer. */
		long producerAt;

		/**
		 * Creates a partition whose producer does not count as running.
		 * @param machine machine that reads the partition
		 * @param key key of the partition
		 * @param next first record to deliver; negative to start with the next published
		 * record
		 * @param now current time in nanoseconds
		 */
		protected Partition(ReadingMachine<?> machine, PartitionKey key, long next, long now) {
			this.key = key;
			this.reader = new PartitionReader(machine.options, next, this, machine.budget);
			this.lossNanos = machine.options.lossTimeout().toNanos();
			this.producerAt = now - Math.max(PRODUCER_NANOS, this.lossNanos);
		}

		/**
		 * Returns whether the producer has sent a message recently.
		 * @param now current time in nanoseconds
		 * @return whether the producer counts as running
		 */
		public final boolean isProducerLive(long now) {
			return now - this.producerAt < Math.max(PRODUCER_NANOS, this.lossNanos);
		}

		/**
		 * Returns whether the producer may still answer a request. The wait is limited,
		 * because producers do not answer for acknowledged records.
		 * @param waited nanoseconds without progress
		 * @param now current time in nanoseconds
		 * @return whether to wait for the producer's answer
		 */
		public final boolean isProducerExpected(long waited, long now) {
			return isProducerLive(now) && waited < PRODUCER_TIMEOUTS * this.lossNanos;
		}

	}

}
