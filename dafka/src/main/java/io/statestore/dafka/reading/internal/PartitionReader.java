package io.statestore.dafka.reading.internal;

import io.statestore.dafka.ReadingOptions;
import org.jspecify.annotations.Nullable;

/**
 * State machine that delivers the records of one partition in order and without gaps.
 * Published records, requested records, and heads may be lost, repeated, and reordered.
 * Callers pass in the time. Not thread-safe, except where noted. Internal: not part of
 * the API.
 * <p>
 * A record or head beyond the next record reveals a gap. The missing records are
 * requested in parts, each part before the previous part has arrived completely. Requests
 * are repeated until they are answered. Records missing from an answer may be lost in
 * transit, so they are declared lost only on {@link GapEvidence}.
 */
public final class PartitionReader {

	/** Maximum interval between requests, in multiples of the first interval. */
	private static final int MAX_BACKOFF = 10;

	/** Minimum number of unanswered requests before records are skipped. */
	private static final int MIN_ATTEMPTS = 3;

	private final Sink sink;

	private final int fetchCount;

	private final long retryNanos;

	private final long lossNanos;

	/**
	 * Time without progress after which records are skipped; {@link Long#MAX_VALUE} for
	 * never.
	 */
	private final long skipNanos;

	private final ReorderBuffer buffer;

	private final GapEvidence evidence = new GapEvidence();

	/** Next record to deliver; negative while unknown. */
	private volatile long next;

	/** Last known record. */
	private volatile long head = -1;

	/** Last requested record of the current gap. */
	private long requestedTo = -1;

	/** Highest sequence number ever requested. */
	private long maxRequested = -1;

	/** Last known record at the time of the latest request. */
	private long headAtRequest = -1;

	private long progressAt;

	/** Time when the latest request is repeated. */
	private long retryAt;

	/** Start of the current period without requests. */
	private long parkedAt;

	private int attempts;

	/** Record last returned by {@link #hold}; negative if there is none. */
	private long held = -1;

	/** Whether the sink has refused the next record and not resumed since. */
	private boolean blocked;

	/** Whether only the next record is requested, for an unambiguous answer. */
	private boolean single;

	/**
	 * Whether records were just declared lost, in which case the next record may be
	 * evicted, too.
	 */
	private boolean behind;

	/** Whether the previous records were just skipped. */
	private boolean skipping;

	/** Whether the next record has been missing for {@code lossTimeout}. */
	private volatile boolean stuck;

	private volatile long overflows;

	/**
	 * Creates a reader.
	 * @param options options for filling gaps
	 * @param next first record to deliver; negative to start with the next published
	 * record
	 * @param sink receives the records
	 * @param budget memory for records beyond gaps, shared by all partitions
	 */
	PartitionReader(ReadingOptions options, long next, Sink sink, ReadingBudget budget) {
		this.sink = sink;
		this.next = next;
		this.fetchCount = options.window() / 2;
		this.retryNanos = options.retry().toNanos();
		this.lossNanos = options.lossTimeout().toNanos();
		this.skipNanos = (options.skipTimeout() != null) ? options.skipTimeout().toNanos() : Long.MAX_VALUE;
		this.buffer = new ReorderBuffer(options.window(), budget);
	}

	/**
	 * Handles a published record.
	 * @param sequence sequence number of the record
	 * @param content record content
	 * @param now current time in nanoseconds
	 */
	public void published(long sequence, byte[] content, long now) {
		if (this.next < 0) {
			this.next = sequence;
		}
		arrived(sequence, content, now);
	}

	/**
	 * Handles a requested record.
	 * @param sequence sequence number of the record
	 * @param content record content
	 * @param now current time in nanoseconds
	 */
	public void fetched(long sequence, byte[] content, long now) {
		if (this.next < 0) {
			return;
		}
		// Another node may have appeared that has the records.
		this.behind = this.behind && this.sink.permitsLoss(1, 0, now);
		if (this.behind && isWaiting() && GapEvidence.isUnrequested(sequence, this.maxRequested)) {
			declareLost(continueAt(sequence), now);
		}
		else if (sequence > this.next) {
			this.evidence.answered(sequence);
		}
		arrived(sequence, content, now);
	}

	/**
	 * Handles a head sent by the producer.
	 * @param sequence sequence number of the producer's last record
	 * @param now current time in nanoseconds
	 */
	public void publishedHead(long sequence, long now) {
		if (this.next < 0) {
			this.next = sequence + 1;
		}
		knownHead(sequence, now);
	}

	/**
	 * Handles a head sent by a store.
	 * @param sequence sequence number of the store's last record
	 * @param now current time in nanoseconds
	 */
	public void storedHead(long sequence, long now) {
		if (this.next >= 0) {
			knownHead(sequence, now);
		}
	}

	/**
	 * Continues when the sink accepts records again.
	 * @param now current time in nanoseconds
	 */
	public void resume(long now) {
		if (this.blocked) {
			this.blocked = false;
			drain(now);
			startWaiting(now);
		}
	}

	/**
	 * Moves to an earlier or later record and continues reading there.
	 * @param next next record to deliver
	 * @param now current time in nanoseconds
	 */
	public void seek(long next, long now) {
		this.buffer.clear();
		this.next = next;
		this.blocked = false;
		progress(now);
		this.requestedTo = next - 1;
		startWaiting(now);
	}

	/**
	 * Returns the next request that is due. Must be called repeatedly until it returns
	 * {@code null}.
	 * @param now current time in nanoseconds
	 * @return the range to request, or {@code null} if no request is due
	 */
	@Nullable FetchRange fetch(long now) {
		if (!isWaiting()) {
			return null;
		}
		long last = lastMissing();
		if (this.requestedTo < this.next) {
			if (this.attempts == 0) {
				// The time before the first request does not count.
				this.progressAt = now;
			}
			return request(this.next, this.behind ? this.next : last, now);
		}
		if (now - this.retryAt >= 0) {
			return retry(last, now);
		}
		boolean halfDone = this.requestedTo - this.next < this.fetchCount / 2;
		return (halfDone && this.requestedTo < last && !this.single && !this.behind)
				? request(this.requestedTo + 1, last, now) : null;
	}

	private @Nullable FetchRange retry(long last, long now) {
		this.attempts++;
		this.single = this.evidence.startRequest(this.maxRequested);
		long waited = now - this.progressAt;
		if (waited >= this.lossNanos && this.evidence.isSufficient()
				&& this.sink.permitsLoss(this.evidence.responders(), waited, now)) {
			declareLost(this.evidence.availableFrom(), now);
			// A responder that evicts records continues to do so. Its next answer shows
			// which records it still has.
			this.behind = isWaiting() && this.sink.permitsLoss(1, 0, now);
			return fetch(now);
		}
		if (waited >= (this.skipping ? this.lossNanos : this.skipNanos) && this.attempts >= MIN_ATTEMPTS
				&& this.sink.permitsSkip(waited, now)) {
			skip(last, now);
			return fetch(now);
		}
		if (waited >= this.lossNanos && !this.stuck) {
			this.stuck = true;
			this.sink.missing(this.next);
		}
		return request(this.next, this.single ? this.next : last, now);
	}

	/**
	 * Returns the next record, which the caller requests so that the producer keeps this
	 * record and all later records. This request does not replace any request from
	 * {@link #fetch}, and the record does not count as an answer to it. Otherwise, a
	 * stream of single records would postpone the repetition of a lost request
	 * indefinitely.
	 * @return sequence number; negative while unknown
	 */
	public long hold() {
		this.held = this.next;
		return this.next;
	}

	/**
	 * Discards the answers to earlier requests. Called when the set of connected nodes
	 * has changed.
	 */
	public void forgetAnswers() {
		this.evidence.clear();
	}

	/** Returns whether the latest request was not answered in time. */
	boolean isOverdue(long now) {
		return isWaiting() && this.requestedTo >= this.next && now - this.retryAt >= 0;
	}

	void park(long now) {
		this.parkedAt = now;
	}

	/** Ends a period without requests, which does not count as time without progress. */
	void unpark(long now) {
		this.progressAt += now - Math.max(this.parkedAt, this.progressAt);
	}

	/** Drops the records beyond gaps. The reader must not be used afterward. */
	public void close() {
		this.buffer.clear();
	}

	/**
	 * Skips the requested records but not later records, which may be available. If later
	 * records are missing, too, the next step does not wait for {@code skipTimeout}.
	 */
	private void skip(long last, long now) {
		long end = Math.min(last, this.next + this.fetchCount - 1) + 1;
		declareLost(end, now);
		this.skipping = this.next == end && isWaiting();
	}

	/**
	 * Returns when to call {@link #fetch} again if nothing arrives earlier.
	 * @param never time to return if no call is needed
	 * @return time in nanoseconds
	 */
	long deadline(long never) {
		return isWaiting() ? this.retryAt : never;
	}

	/**
	 * Returns whether a known record is missing.
	 * @return whether there is a gap to fill
	 */
	public boolean isWaiting() {
		return this.next >= 0 && this.next <= this.head && !this.blocked;
	}

	/**
	 * Returns whether no node has sent the next record for {@code lossTimeout}. Safe for
	 * any thread.
	 * @return whether the next record has been missing that long
	 */
	public boolean isStuck() {
		return this.stuck;
	}

	/**
	 * Returns the next record to deliver. Safe for any thread.
	 * @return sequence number; negative while unknown
	 */
	public long next() {
		return this.next;
	}

	/**
	 * Returns the last known record. Safe for any thread.
	 * @return sequence number; -1 if no record is known
	 */
	public long head() {
		return this.head;
	}

	/**
	 * Returns how many records were dropped for lack of room. The dropped records are
	 * fetched later. Safe for any thread.
	 * @return number since this reader was created
	 */
	public long overflows() {
		return this.overflows;
	}

	private void arrived(long sequence, byte[] content, long now) {
		boolean waited = isWaiting();
		if (sequence > this.head) {
			this.head = sequence;
		}
		if (sequence == this.next && !this.blocked) {
			if (this.sink.accept(sequence, content)) {
				this.next = sequence + 1;
				if (waited || !this.buffer.isEmpty()) {
					this.buffer.remove(sequence);
					filled(sequence, now);
				}
				return;
			}
			this.blocked = true;
			this.buffer.put(sequence, content);
		}
		else if (sequence >= this.next && !keep(sequence, content)) {
			this.overflows++;
		}
		if (!waited) {
			startWaiting(now);
		}
	}

	/** Delivers the kept records after a record that was missing. */
	private void filled(long sequence, long now) {
		long retryAt = this.retryAt;
		int attempts = this.attempts;
		progress(now);
		drain(now);
		if (sequence == this.held) {
			this.retryAt = retryAt;
			this.attempts = attempts;
		}
	}

	/**
	 * Keeps a record and returns whether there was room. While the sink refuses records,
	 * they are kept up to the budget's limit: without a store, the producer may evict
	 * them before they could be fetched.
	 */
	private boolean keep(long sequence, byte[] content) {
		return this.blocked ? this.buffer.put(sequence, content) : this.buffer.putNear(this.next, sequence, content);
	}

	private void knownHead(long sequence, long now) {
		boolean waited = isWaiting();
		if (sequence > this.head) {
			this.head = sequence;
		}
		if (!waited) {
			startWaiting(now);
		}
	}

	private void drain(long now) {
		for (byte[] content = this.buffer.get(this.next); content != null; content = this.buffer.get(this.next)) {
			if (!this.sink.accept(this.next, content)) {
				this.blocked = true;
				return;
			}
			this.buffer.remove(this.next);
			this.next++;
			progress(now);
		}
	}

	/**
	 * Returns the record to continue with if the responder evicts records continuously.
	 * If it has replaced all its records since the latest request, it is likely to do so
	 * again before its next answer. In this case, reading continues with the next
	 * published record.
	 */
	private long continueAt(long oldest) {
		return (oldest > this.headAtRequest) ? Math.max(oldest, this.head + 1) : oldest;
	}

	/**
	 * Declares missing records lost, up to a given record, and delivers the kept records.
	 */
	private void declareLost(long to, long now) {
		progress(now);
		while (this.next < to && !this.blocked) {
			long end = Math.min(to, this.buffer.first(to));
			this.sink.lost(this.next, end - 1);
			this.next = end;
			drain(now);
		}
	}

	private void startWaiting(long now) {
		if (isWaiting()) {
			this.requestedTo = this.next - 1;
			progress(now);
		}
	}

	private void progress(long now) {
		this.progressAt = now;
		this.retryAt = now + this.retryNanos;
		this.attempts = 0;
		this.single = false;
		this.behind = false;
		this.skipping = false;
		this.stuck = false;
		this.evidence.clear();
	}

	private long lastMissing() {
		return this.buffer.first(this.head + 1) - 1;
	}

	private @Nullable FetchRange request(long first, long last, long now) {
		if (last < first) {
			return null;
		}
		int count = (int) Math.min(this.fetchCount, last - first + 1);
		this.requestedTo = first + count - 1;
		this.maxRequested = Math.max(this.maxRequested, this.requestedTo);
		this.headAtRequest = this.head;
		this.retryAt = now + this.retryNanos * Math.min(1L << Math.min(this.attempts, 4), MAX_BACKOFF);
		return new FetchRange(first, count);
	}

	/**
	 * Receives each record of a partition once and in order. Internal: not part of the
	 * API.
	 */
	public interface Sink {

		/**
		 * Handles the next record.
		 * @param sequence sequence number of the record
		 * @param content record content
		 * @return whether the record was accepted; if not, {@link PartitionReader#resume}
		 * must be called when there is room
		 */
		boolean accept(long sequence, byte[] content);

		/**
		 * Handles records that are lost, because no node has them or they were skipped.
		 * @param first sequence number of the first lost record
		 * @param last sequence number of the last lost record
		 */
		void lost(long first, long last);

		/**
		 * Handles a record that no node has sent for {@code lossTimeout}. Not called
		 * again until there is progress. The reader continues to request the record.
		 * @param first sequence number of the missing record
		 */
		default void missing(long first) {
		}

		/**
		 * Returns whether records may be declared lost because nodes answer with later
		 * records.
		 * @param responders number of nodes that sent such answers, at least 1
		 * @param waited nanoseconds without progress
		 * @param now current time in nanoseconds
		 * @return {@code true} if no other node can have the records
		 */
		default boolean permitsLoss(int responders, long waited, long now) {
			return true;
		}

		/**
		 * Returns whether records that no node has sent for {@code skipTimeout} may be
		 * skipped now.
		 * @param waited nanoseconds without progress
		 * @param now current time in nanoseconds
		 * @return whether to continue without the records
		 */
		default boolean permitsSkip(long waited, long now) {
			return true;
		}

	}

}
