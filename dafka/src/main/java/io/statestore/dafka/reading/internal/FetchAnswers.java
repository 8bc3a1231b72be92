package io.statestore.dafka.reading.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Sends the records that other nodes request with FETCH (RFC 46). Answers are sent in
 * slices, so that each answer waits for at most one slice of every other answer. There is
 * one answer for each recipient and partition; more requests extend it. Not thread-safe,
 * except for {@link #sent}.
 * <p>
 * Internal: not part of the API.
 */
public final class FetchAnswers {

	private static final int MAX_ANSWERS = 10_000;

	/**
	 * Maximum number of records sent in answer to a request. The reference implementation
	 * requests blocks of 100,000.
	 */
	private static final int MAX_RECORDS = 1 << 17;

	private static final int RECORDS_PER_SLICE = 1_024;

	private static final int BYTES_PER_SLICE = 256 << 10;

	private static final int RECORDS_PER_TURN = 4_096;

	/** Number of bytes that count as one record toward the limit per turn. */
	private static final int BYTES_PER_RECORD = 1 << 10;

	private final Machine.Output output;

	private final Source source;

	/** Unfinished answers, in the order of their turns. */
	private final Map<Key, Range> answers = new LinkedHashMap<>();

	private final LongAdder sent = new LongAdder();

	/**
	 * Creates a sender without answers.
	 * @param output sends the records
	 * @param source reads a partition's records
	 */
	public FetchAnswers(Machine.Output output, Source source) {
		this.output = output;
		this.source = source;
	}

	/**
	 * Handles a request. If it is very long, only the first records are sent; the
	 * recipient requests the rest again.
	 * @param recipient address of the requesting node
	 * @param partition partition of the records
	 * @param first sequence number of the first requested record
	 * @param end sequence number after the last requested record
	 */
	public void add(Bytes recipient, PartitionKey partition, long first, long end) {
		if (first >= end) {
			return;
		}
		Key key = new Key(recipient, partition);
		long last = Math.min(end, first + MAX_RECORDS);
		Range range = this.answers.get(key);
		if (range != null) {
			range.add(first, last);
		}
		else if (this.answers.size() < MAX_ANSWERS) {
			this.answers.put(key, new Range(first, last));
		}
	}

	/**
	 * Returns whether all answers are finished.
	 * @return whether there is nothing to send
	 */
	public boolean isEmpty() {
		return this.answers.isEmpty();
	}

	/**
	 * Returns the number of records sent. Safe for any thread.
	 * @return number since this sender was created
	 */
	public long sent() {
		return this.sent.sum();
	}

	/**
	 * Sends a limited number of records while there is room.
	 * @return {@code false} if the output ran out of room
	 */
	public boolean work() {
		for (int left = RECORDS_PER_TURN; left > 0 && !this.answers.isEmpty();) {
			Map.Entry<Key, Range> entry = this.answers.entrySet().iterator().next();
			Key key = entry.getKey();
			Range range = entry.getValue();
			this.answers.remove(key);
			Slice slice = new Slice(key.recipient(), key.partition(), range, left);
			this.source.read(key.partition(), range.next, range.end, slice::send);
			this.sent.add(slice.records);
			boolean unavailable = slice.records == 0 && !slice.refused;
			if (range.next < range.end && !unavailable) {
				this.answers.put(key, range);
			}
			else if (range.following != null) {
				this.answers.put(key, range.following);
			}
			if (slice.refused) {
				return false;
			}
			left -= Math.max(1, Math.max(slice.records, slice.bytes / BYTES_PER_RECORD));
		}
		return true;
	}

	/** Reads a partition's records. */
	@FunctionalInterface
	public interface Source {

		/**
		 * Passes the available records to a visitor, in order, until the visitor returns
		 * {@code false}. Continues beyond the end of the request, because the first
		 * available record shows that requested records are unavailable.
		 * @param partition partition of the records
		 * @param first sequence number of the first requested record
		 * @param end sequence number after the last requested record
		 * @param visitor receives the records
		 */
		void read(PartitionKey partition, long first, long end, Visitor visitor);

	}

	/** Receives records. */
	@FunctionalInterface
	public interface Visitor {

		/**
		 * Handles a record.
		 * @param sequence sequence number of the record
		 * @param content record content
		 * @return whether to continue with the next record
		 */
		boolean visit(long sequence, Bytes content);

	}

	private record Key(Bytes recipient, PartitionKey partition) {
	}

	/** Records to send: from {@code next} (inclusive) to {@code end} (exclusive). */
	private static final class Range {

		/** First record of the request that this range answers. */
		private long start;

		private long next;

		private long end;

		/**
		 * Records before {@code start} to send afterward; {@code null} if there are none.
		 */
		private @Nullable Range following;

		Range(long start, long end) {
			this.start = start;
			this.next = start;
			this.end = end;
		}

		/**
		 * Adds another request from the same recipient. A request that continues the
		 * range extends it. A request for records that were just sent changes nothing:
		 * recipients repeat the request for their next record, which may be in transit. A
		 * request that ends before the next record and begins before this range is
		 * answered afterward, together with other such requests. Any other request
		 * restarts the range.
		 */
		void add(long first, long end) {
			if (end <= this.next) {
				if (first < this.start) {
					follow(first, Math.min(end, this.start));
				}
			}
			else if (first >= this.next && first <= this.end) {
				this.end = Math.max(this.end, end);
			}
			else {
				this.start = first;
				this.next = first;
				this.end = end;
				Range earlier = this.following;
				this.following = (earlier != null && earlier.start < first)
						? new Range(earlier.start, Math.min(earlier.end, first)) : null;
			}
		}

		/** Adds earlier records to the records to send afterward. */
		private void follow(long first, long end) {
			Range earlier = this.following;
			long from = (earlier != null) ? Math.min(earlier.start, first) : first;
			long to = (earlier != null) ? Math.max(earlier.end, end) : end;
			this.following = new Range(from, Math.min(to, from + MAX_RECORDS));
		}

	}

	/** Part of an answer, sent without interruption by other answers. */
	private final class Slice {

		private final Range range;

		private final Command.Headers headers;

		private final int maxRecords;

		private int records;

		private int bytes;

		/** Whether there was no room for the next record. */
		private boolean refused;

		Slice(Bytes recipient, PartitionKey key, Range range, int maxRecords) {
			this.headers = Command.directRecord(recipient, key.address(), key.subject());
			this.range = range;
			this.maxRecords = Math.min(maxRecords, RECORDS_PER_SLICE);
		}

		/** Sends a record and returns whether to continue. */
		boolean send(long sequence, Bytes content) {
			// The first available record is sent even beyond the end, see Source.
			if (this.records > 0 && sequence >= this.range.end) {
				return false;
			}
			if (!FetchAnswers.this.output.offer(this.headers.at(sequence), content)) {
				this.refused = true;
				return false;
			}
			this.range.next = sequence + 1;
			this.records++;
			this.bytes += content.size();
			return this.range.next < this.range.end && this.records < this.maxRecords && this.bytes < BYTES_PER_SLICE;
		}

	}

}
