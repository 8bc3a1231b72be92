package io.statestore.dafka.reading.internal;

import java.util.Arrays;

/**
 * Distinguishes records that the responders no longer have from records lost in transit.
 * A node that has only records after the requested record answers with its first record.
 * An answer whose beginning was lost in transit looks the same, but only once, and it
 * consists of requested records. A responder that evicts records continuously answers
 * with a different record each time. Such answers count if none of their records was
 * requested. Not thread-safe.
 */
final class GapEvidence {

	/** Number of matching answers that are sufficient evidence. */
	private static final int ANSWERS = 3;

	private static final long NONE = Long.MAX_VALUE;

	/** First record that arrived since the latest request, or {@code NONE}. */
	private long first = NONE;

	/** First record that arrived after every earlier request, or {@code NONE}. */
	private long candidate = NONE;

	/** Number of requests with matching answers. */
	private int answers;

	/** Latest record that arrived since the latest request. */
	private long latest = NONE;

	/** Number of answers since the latest request. */
	private int responses;

	/** Number of answers to each of the latest requests. */
	private final int[] recentResponses = new int[ANSWERS];

	/**
	 * Handles a record after the requested record. Consecutive records count as one
	 * answer, because the reference implementation sends one more record than requested.
	 */
	void answered(long sequence) {
		this.first = Math.min(this.first, sequence);
		this.responses += (sequence != this.latest + 1) ? 1 : 0;
		this.latest = sequence;
	}

	/**
	 * Starts the next request.
	 * @param maxRequested last record that was ever requested
	 * @return whether to request only the next record, so that its answer is unambiguous
	 */
	boolean startRequest(long maxRequested) {
		boolean again = this.first == this.candidate || (this.candidate != NONE
				&& isUnrequested(this.first, maxRequested) && isUnrequested(this.candidate, maxRequested));
		this.answers = again ? this.answers + 1 : 0;
		this.recentResponses[this.answers % ANSWERS] = this.responses;
		this.candidate = this.first;
		restart();
		return this.candidate != NONE;
	}

	/**
	 * Returns whether a record cannot belong to the answer for a requested record. The
	 * reference implementation sends one more record than requested.
	 */
	static boolean isUnrequested(long sequence, long maxRequested) {
		return sequence != NONE && sequence > maxRequested + 1;
	}

	/** Returns whether the answers show that the requested record is unavailable. */
	boolean isSufficient() {
		return this.candidate != NONE && this.answers >= ANSWERS;
	}

	/** Returns the number of nodes that answered each of the latest requests. */
	int responders() {
		return Arrays.stream(this.recentResponses).min().orElse(0);
	}

	long availableFrom() {
		return this.candidate;
	}

	void clear() {
		restart();
		this.candidate = NONE;
		this.answers = 0;
	}

	private void restart() {
		this.first = NONE;
		this.latest = NONE;
		this.responses = 0;
	}

}
