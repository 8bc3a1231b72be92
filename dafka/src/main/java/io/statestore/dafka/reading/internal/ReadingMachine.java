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
 * Machine of a node that reads partitions: a consumer or a store. Passes each record to
 * its partition, and requests missing records. Not thread-safe. Internal: not part of the
 * API.
 *
 * @param <P> type of a partition
 */
public abstract class ReadingMachine<P extends ReadingMachine.Partition> implements Machine {

	private static final int MAX_ACTIVE = 1_000;

	/** Address of the node. */
	protected final Bytes address;

	/** Sends commands and records. */
	protected final Output output;

	/** Number of requests for missing records. */
	public final LongAdder fetches = new LongAdder();

	private final ReadingOptions options;

	private final ReadingBudget budget;

	private final HeaderCache<P> headers = new HeaderCache<>();

	/** Partitions with requests in flight. */
	private final Set<P> active = new LinkedHashSet<>();

	/** Partitions that wait for their turn. */
	private final Set<P> queued = new LinkedHashSet<>();

	/**
	 * Creates a machine without partitions.
	 * @param address address of the node
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
	 * Returns the partition of a published record or head.
	 * @param key key of the partition
	 * @param now the time
	 * @return the partition, or {@code null} if it is not read
	 */
	protected abstract @Nullable P open(PartitionKey key, long now);

	/**
	 * Returns the partition of a requested record.
	 * @param key key of the partition
	 * @param now the time
	 * @return the partition, or {@code null} if it is not read
	 */
	protected abstract @Nullable P openRequested(PartitionKey key, long now);

	/**
	 * Handles a record, which the reader of its partition delivers in order.
	 * @param partition its partition
	 * @param sequence sequence number of the record
	 * @param content content of the record
	 * @param direct whether it was requested
	 * @param now the time
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
	 * @param partition partition of the producer
	 */
	protected void announced(P partition) {
	}

	/**
	 * Handles the head of a store.
	 * @param key key of the partition
	 * @param sequence sequence number of its last record
	 * @param now the time
	 */
	protected abstract void storedHead(PartitionKey key, long sequence, long now);

	/**
	 * Handles any other command.
	 * @param command the command
	 * @param now the time
	 */
	protected abstract void received(Command command, long now);

	/**
	 * Returns the size of the records kept beyond gaps.
	 * @return number of bytes
	 */
	public final long buffered() {
		return this.budget.used();
	}

	/**
	 * Requests the missing records of a partition, if there are any.
	 * @param partition the partition
	 */
	protected final void fillGap(P partition) {
		if (partition.reader.isWaiting() && !this.active.contains(partition)) {
			this.queued.add(partition);
		}
	}

	/**
	 * Returns the partitions with missing records.
	 * @return the partitions
	 */
	protected final Stream<P> incomplete() {
		return Stream.concat(this.active.stream(), this.queued.stream());
	}

	/**
	 * Removes a partition.
	 * @param partition the partition
	 */
	protected final void remove(P partition) {
		this.active.remove(partition);
		this.queued.remove(partition);
		this.headers.clear();
	}

	/**
	 * Requests records.
	 * @param partition their partition
	 * @param first sequence number of the first record
	 * @param count number of records
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
	 * Sends the requests that are due. A limited number of partitions have requests in
	 * flight; the others wait. A partition without an answer moves to the end of the
	 * queue, so that unanswered partitions do not block the others.
	 * @param now the time
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

	/** Sends due requests, and returns whether records are still missing. */
	private boolean requestDue(P partition, long now) {
		PartitionReader reader = partition.reader;
		for (FetchRange range = reader.fetch(now); range != null; range = reader.fetch(now)) {
			this.fetches.increment();
			fetch(partition, range.first(), range.count());
		}
		return reader.isWaiting();
	}

	/** Partition that is read. Receives the records of its reader. */
	public abstract static class Partition implements PartitionReader.Sink {

		/**
		 * Number of loss timeouts after which a store that does not answer has none of
		 * the records.
		 */
		public static final int STORE_TIMEOUTS = 12;

		/** Number of loss timeouts to wait for an answer of the producer. */
		private static final int PRODUCER_TIMEOUTS = 2;

		/**
		 * Minimum time for which a producer counts as running after its latest message.
		 */
		private static final long PRODUCER_NANOS = 5_000_000_000L;

		/** Key of this partition. */
		public final PartitionKey key;

		/** Reader of this partition. */
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
		 * @param next first record to deliver, negative to start with the next published
		 * one
		 * @param now the time
		 */
		protected Partition(ReadingMachine<?> machine, PartitionKey key, long next, long now) {
			this.key = key;
			this.reader = new PartitionReader(machine.options, next, this, machine.budget);
			this.lossNanos = machine.options.lossTimeout().toNanos();
			this.producerAt = now - Math.max(PRODUCER_NANOS, this.lossNanos);
		}

		/**
		 * Returns whether the producer was heard recently.
		 * @param now the time
		 * @return whether it is running, as far as this node knows
		 */
		public final boolean isProducerLive(long now) {
			return now - this.producerAt < Math.max(PRODUCER_NANOS, this.lossNanos);
		}

		/**
		 * Returns whether the producer may still answer a request. It does not answer for
		 * acknowledged records.
		 * @param waited nanoseconds without progress
		 * @param now the time
		 * @return whether to wait for its answer
		 */
		public final boolean isProducerExpected(long waited, long now) {
			return isProducerLive(now) && waited < PRODUCER_TIMEOUTS * this.lossNanos;
		}

	}

}
