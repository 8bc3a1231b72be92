package io.statestore.dafka.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a store. Writes the records that arrive in a turn together, then announces
 * new partitions and acknowledges the records. Not thread-safe.
 */
final class RecordWriter {

	/** Size of appended records, in bytes, at which they are written without delay. */
	private static final long MAX_PENDING_BYTES = 8 << 20;

	private final RecordLog log;

	private final StoreSettings settings;

	private final Machine.Output output;

	private final StoreCounters counters;

	private final Function<PartitionKey, @Nullable StorePartition> live;

	private final Consumer<StoredPartition> announce;

	/** Partitions with acknowledgments that are to be sent. */
	private final Deque<StorePartition> acknowledging = new ArrayDeque<>();

	/**
	 * Creates a writer.
	 * @param live returns a live partition, or {@code null} if it is not live
	 * @param announce called with each partition that has received its first record
	 */
	RecordWriter(RecordLog log, StoreSettings settings, Machine.Output output, StoreCounters counters,
			Function<PartitionKey, @Nullable StorePartition> live, Consumer<StoredPartition> announce) {
		this.log = log;
		this.settings = settings;
		this.output = output;
		this.counters = counters;
		this.live = live;
		this.announce = announce;
	}

	/** Appends a record, which {@link #write} will write. */
	void append(StoredPartition partition, byte[] content) {
		this.log.append(partition, content);
		this.counters.stored.increment();
	}

	/** Writes appended records if they must not wait for the end of the turn. */
	void writeIfDue() {
		if (this.settings.fsync() == Fsync.RECORD || this.log.pendingBytes() > MAX_PENDING_BYTES) {
			write();
		}
	}

	/** Writes all appended records. */
	void write() {
		boolean sync = this.settings.fsync() != Fsync.NEVER;
		for (StoredPartition written : this.log.flush(sync, this.settings.time().millis())) {
			StorePartition partition = this.live.apply(written.key());
			if (partition != null) {
				announce(partition);
				acknowledge(partition);
			}
		}
		this.counters.bytes = this.log.bytes();
	}

	/** Writes that records are lost. */
	void lost(StoredPartition stored, long first, long last) {
		write();
		this.log.lost(stored, last + 1, this.settings.time().millis());
		this.counters.lost.add(last - first + 1);
		StorePartition partition = this.live.apply(stored.key());
		if (partition != null) {
			announce(partition);
			partition.lost = (partition.lost != null) ? partition.lost : new LostRecords();
			partition.lost.add(first, last);
		}
	}

	private void announce(StorePartition partition) {
		if (!partition.announced) {
			partition.announced = true;
			this.announce.accept(partition.stored);
		}
	}

	/** Schedules the acknowledgment of the last written record. */
	void acknowledge(StorePartition partition) {
		if (!partition.acknowledging) {
			partition.acknowledging = true;
			this.acknowledging.add(partition);
		}
	}

	/** Sends acknowledgments while there is room, and returns whether all were sent. */
	boolean sendAcknowledgments() {
		while (!this.acknowledging.isEmpty() && this.output.hasRoom()) {
			StorePartition partition = this.acknowledging.remove();
			partition.acknowledging = false;
			if (partition.stored.next() > 0) {
				this.counters.acknowledgments.increment();
				this.output.send(new Command.Ack(partition.key().address(), partition.key().subject(),
						partition.stored.next() - 1));
			}
		}
		return this.acknowledging.isEmpty();
	}

	/** Removes the records that retention does not keep. */
	void retain() {
		if (this.settings.retentionTime().equals(StoreSettings.FOREVER)
				&& this.log.bytes() <= this.settings.retentionBytes()) {
			return;
		}
		long oldest = this.settings.time().millis() - this.settings.retentionTime().toMillis();
		this.log.retain(oldest, this.settings.retentionBytes());
	}

	/** Writes all appended records, and closes the log. */
	void close() {
		try {
			write();
		}
		finally {
			this.log.close();
		}
	}

}
