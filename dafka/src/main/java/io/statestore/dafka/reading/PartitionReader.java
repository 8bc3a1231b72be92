package io.statestore.dafka.reading;

import org.jspecify.annotations.Nullable;

/**
 * Makes an ordered, gapless sequence of what arrives of one partition: live records,
 * fetched records and heads, lost, repeated and in any order. A state machine for one
 * thread; time is passed in.
 * <p>
 * A gap is known from a record or head beyond the next record. It is asked for with exact
 * counts, the next part before the previous has arrived completely, and again as long as
 * nothing comes. What is left out in an answer may have got lost on the way, so records
 * are given up only by {@link GapEvidence}: whoever has later ones says so.
 */
public final class PartitionReader {

	private static final int MAX_BACKOFF = 10;

	/** Requests without an answer before records are skipped. */
	private static final int MIN_ATTEMPTS = 3;

	private final RecordSink sink;

	private final int fetchCount;

	private final long retryNanos;

	private final long lossNanos;

	/** Never, if at the end of time. */
	private final long skipNanos;

	private final ReorderBuffer buffer;

	private final GapEvidence evidence = new GapEvidence();

	/** The next record of the sequence, negative as long as it is not known. */
	private volatile long next;

	/** The last record known to exist. */
	private volatile long head = -1;

	/** The last record asked for. */
	private long requestedTo = -1;

	/** The last one that was ever asked for. */
	private long askedTo = -1;

	private long progressAt;

	private long retryAt;

	/** When this partition last began to wait for its turn. */
	private long parkedAt;

	private int attempts;

	private boolean blocked;

	/** Whether nothing but the next record is asked for. */
	private boolean alone;

	/**
	 * Whether records were just given up, so that those behind may be gone by now too.
	 */
	private boolean behind;

	/** Whether the records before were just skipped. */
	private boolean skipping;

	private volatile boolean stuck;

	private volatile long duplicates;

	private volatile long overflows;

	/**
	 * Begins at a record.
	 * @param next the number of the first record, negative to begin at the first one that
	 * is published from now on
	 * @param budget for the records that come too early, shared by all partitions
	 */
	public PartitionReader(ReadingOptions options, long next, RecordSink sink, ReadingBudget budget) {
		this.sink = sink;
		this.next = next;
		this.fetchCount = options.window() / 2;
		this.retryNanos = options.retry().toNanos();
		this.lossNanos = options.lossTimeout().toNanos();
		this.skipNanos = (options.skipTimeout() != null) ? options.skipTimeout().toNanos() : Long.MAX_VALUE;
		this.buffer = new ReorderBuffer(options.window(), budget);
	}

	/** A record as published. */
	public void published(long sequence, byte[] content, long now) {
		if (this.next < 0) {
			this.next = sequence;
		}
		arrived(sequence, content, now);
	}

	/** A record that somebody was asked for. */
	public void fetched(long sequence, byte[] content, long now) {
		if (this.next < 0) {
			return;
		}
		if (this.behind && isWaiting() && GapEvidence.isUnasked(sequence, this.askedTo)) {
			giveUp(goOnAt(sequence), now);
		}
		else if (sequence > this.next) {
			this.evidence.answered(sequence);
		}
		arrived(sequence, content, now);
	}

	/** The producer told its last record. */
	public void publishedHead(long sequence, long now) {
		if (this.next < 0) {
			this.next = sequence + 1;
		}
		knownHead(sequence, now);
	}

	/** A store told the last record it has. */
	public void storedHead(long sequence, long now) {
		if (this.next >= 0) {
			knownHead(sequence, now);
		}
	}

	/** There is room again for what the sink refused. */
	public void resume(long now) {
		if (this.blocked) {
			this.blocked = false;
			drain(now);
			startWaiting(now);
		}
	}

	/** Goes on at another record, before or after. */
	public void seek(long next, long now) {
		this.buffer.clear();
		this.next = next;
		this.blocked = false;
		progress(now);
		this.requestedTo = next - 1;
		startWaiting(now);
	}

	/**
	 * What to ask for now, {@code null} for nothing. To be called again and again until
	 * it is nothing.
	 */
	public @Nullable FetchRange fetch(long now) {
		if (!isWaiting()) {
			return null;
		}
		long last = lastMissing();
		if (this.requestedTo < this.next) {
			if (this.attempts == 0) {
				// The time before the first request is not one without an answer.
				this.progressAt = now;
			}
			return request(this.next, this.behind ? this.next : last, now);
		}
		if (now - this.retryAt >= 0) {
			return again(last, now);
		}
		boolean halfDone = this.requestedTo - this.next < this.fetchCount / 2;
		return (halfDone && this.requestedTo < last && !this.alone && !this.behind)
				? request(this.requestedTo + 1, last, now) : null;
	}

	private @Nullable FetchRange again(long last, long now) {
		this.attempts++;
		this.alone = this.evidence.next(this.askedTo);
		long waited = now - this.progressAt;
		if (waited >= this.lossNanos && this.evidence.isSufficient()
				&& this.sink.permitsLoss(this.evidence.responders(), waited, now)) {
			giveUp(this.evidence.availableFrom(), now);
			// A responder that evicts its oldest records continues to do so. Its answer
			// to the next request tells what it has by then.
			this.behind = isWaiting() && this.sink.permitsLoss(1, 0, now);
			return fetch(now);
		}
		if (waited >= (this.skipping ? this.lossNanos : this.skipNanos) && this.attempts >= MIN_ATTEMPTS
				&& this.sink.permitsSkip(now)) {
			skip(last, now);
			return fetch(now);
		}
		if (waited >= this.lossNanos && !this.stuck) {
			this.stuck = true;
			this.sink.missing(this.next);
		}
		return request(this.next, this.alone ? this.next : last, now);
	}

	/** Returns whether the latest request was not answered in time. */
	boolean isOverdue(long now) {
		return isWaiting() && this.requestedTo >= this.next && now - this.retryAt >= 0;
	}

	/** Begins a time during which nothing is requested. */
	void park(long now) {
		this.parkedAt = now;
	}

	/** Ends the time during which nothing was requested: it is no time without answer. */
	void unpark(long now) {
		this.progressAt += now - Math.max(this.parkedAt, this.progressAt);
	}

	/** Drops the records that came early. The reader must not be used afterwards. */
	public void close() {
		this.buffer.clear();
	}

	/**
	 * Gives up what was requested in vain, but nothing behind it, which may be available.
	 * If it is not, there is no need to wait for {@code skipTimeout} once more.
	 */
	private void skip(long last, long now) {
		long end = Math.min(last, this.next + this.fetchCount - 1) + 1;
		giveUp(end, now);
		this.skipping = this.next == end && isWaiting();
	}

	/** When {@link #fetch} has to be called if nothing happens before. */
	public long deadline(long never) {
		return isWaiting() ? this.retryAt : never;
	}

	/** Whether something is missing that is known to exist. */
	public boolean isWaiting() {
		return this.next >= 0 && this.next <= this.head && !this.blocked;
	}

	/**
	 * Whether nobody gives the next record, for {@code lossTimeout}. Any thread may ask.
	 */
	public boolean isStuck() {
		return this.stuck;
	}

	/** The next record of the sequence, negative if not known. Any thread may ask. */
	public long next() {
		return this.next;
	}

	/** The last record known to exist, -1 if none. Any thread may ask. */
	public long head() {
		return this.head;
	}

	/** Records that came again. */
	public long duplicates() {
		return this.duplicates;
	}

	/** Records that came too early to be kept, and are fetched later. */
	public long overflows() {
		return this.overflows;
	}

	private void arrived(long sequence, byte[] content, long now) {
		boolean waited = isWaiting();
		if (sequence > this.head) {
			this.head = sequence;
		}
		if (sequence < this.next) {
			this.duplicates++;
		}
		else if (sequence == this.next && !this.blocked) {
			if (this.sink.accept(sequence, content)) {
				this.next = sequence + 1;
				if (waited || !this.buffer.isEmpty()) {
					this.buffer.remove(sequence);
					progress(now);
					drain(now);
				}
				return;
			}
			this.blocked = true;
			this.buffer.put(sequence, content);
		}
		else if (!keep(sequence, content)) {
			this.overflows++;
		}
		if (!waited) {
			startWaiting(now);
		}
	}

	/**
	 * Without room, as much is kept as the budget allows: without a store, records on
	 * their way may be gone at their producer.
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
	 * Where to go on when the oldest record there is was another one a moment ago: if by
	 * the next time all there is will have been replaced, at what is published next.
	 */
	private long goOnAt(long oldest) {
		return (oldest - this.next > this.head - oldest) ? Math.max(oldest, this.head + 1) : oldest;
	}

	/** What came early of it is not lost. */
	private void giveUp(long to, long now) {
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
		this.alone = false;
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
		this.askedTo = Math.max(this.askedTo, this.requestedTo);
		this.retryAt = now + this.retryNanos * Math.min(1L << Math.min(this.attempts, 4), MAX_BACKOFF);
		return new FetchRange(first, count);
	}

}
