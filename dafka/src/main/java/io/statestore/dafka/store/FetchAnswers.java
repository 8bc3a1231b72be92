package io.statestore.dafka.store;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.store.storage.StoredPartition;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.PartitionKey;
import io.statestore.dafka.wire.SequencedHeader;

/**
 * Sender of requested records. It sends them in slices, so that each recipient and
 * partition waits for at most one slice of every other. Not thread-safe.
 */
final class FetchAnswers {

	private static final int RECORDS_PER_SLICE = 1_024;

	private static final int BYTES_PER_SLICE = 256 << 10;

	private static final int RECORDS_PER_TURN = 4_096;

	/** Number of bytes that count as one record of a turn. */
	private static final int BYTES_PER_RECORD = 1 << 10;

	private final RecordLog log;

	private final Output output;

	private final StoreCounters counters;

	private final FetchJobs jobs = new FetchJobs();

	FetchAnswers(RecordLog log, Output output, StoreCounters counters) {
		this.log = log;
		this.output = output;
		this.counters = counters;
	}

	/**
	 * Adds a request.
	 * @param first number of the first record
	 * @param end number after the last record
	 */
	void add(Bytes recipient, StoredPartition partition, long first, long end) {
		this.jobs.add(recipient, partition, first, end);
	}

	/**
	 * Sends records while there is room, for one turn.
	 * @return time of the next call, {@code never} if everything was sent
	 */
	long work(long now, long never) {
		for (int left = RECORDS_PER_TURN; left > 0;) {
			FetchJobs.Job job = this.jobs.poll();
			if (job == null) {
				return never;
			}
			Slice slice = new Slice(job);
			this.log.read(job.partition, job.next, slice::send);
			this.counters.fetched.add(slice.records);
			if (!slice.refused && slice.records == 0) {
				job.next = job.end;
			}
			if (job.next < job.end) {
				this.jobs.back(job);
			}
			if (slice.refused) {
				return now + StoreMachine.RETRY_NANOS;
			}
			left -= Math.max(1, Math.max(slice.records, slice.bytes / BYTES_PER_RECORD));
		}
		return now;
	}

	/** Part of a job that is sent without interruption. */
	private final class Slice {

		private final FetchJobs.Job job;

		private final SequencedHeader headers;

		private int records;

		private int bytes;

		private boolean refused;

		Slice(FetchJobs.Job job) {
			this.job = job;
			PartitionKey key = job.partition.key();
			this.headers = Encoder.directRecord(job.recipient, key.address(), key.subject());
		}

		/** Sends a record, and returns whether to continue. */
		boolean send(long sequence, byte[] content) {
			// The first available record is sent even beyond the end: it shows that the
			// requested ones are unavailable.
			if (this.records > 0 && sequence >= this.job.end) {
				return false;
			}
			if (!FetchAnswers.this.output.offer(this.headers.at(sequence), Bytes.wrap(content))) {
				this.refused = true;
				return false;
			}
			this.job.next = sequence + 1;
			this.records++;
			this.bytes += content.length;
			return this.job.next < this.job.end && this.records < RECORDS_PER_SLICE && this.bytes < BYTES_PER_SLICE;
		}

	}

}
