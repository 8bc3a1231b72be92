package io.statestore.dafka.reading;

import java.util.Arrays;

/**
 * Distinguishes records that the responders no longer have from records lost in transit.
 * A node that has only later records than the requested one answers with the first of
 * them. An answer whose beginning was lost in transit looks the same, but only once, and
 * it consists of requested records. A responder that evicts its oldest records all the
 * time answers with another record each time. These answers count if none of the records
 * was requested.
 */
final class GapEvidence {

	private static final int ANSWERS = 3;

	private static final long NONE = Long.MAX_VALUE;

	/** The first record that came since the last question. */
	private long first = NONE;

	/** The one that came after the questions before. */
	private long candidate = NONE;

	private int answers;

	/** Latest record since the last question. */
	private long latest = NONE;

	/** Answers since the last question. */
	private int responses;

	/** Answers to each of the latest questions. */
	private final int[] recentResponses = new int[ANSWERS];

	/**
	 * Handles a record that is later than the requested one. Consecutive records count as
	 * one answer: the reference sends one record more than requested.
	 */
	void answered(long sequence) {
		this.first = Math.min(this.first, sequence);
		this.responses += (sequence != this.latest + 1) ? 1 : 0;
		this.latest = sequence;
	}

	/**
	 * It is about to be asked again.
	 * @param askedTo the last record that was ever asked for
	 * @return whether to ask for the next record alone, so that the answer is clear
	 */
	boolean next(long askedTo) {
		boolean again = this.first == this.candidate
				|| (this.candidate != NONE && isUnasked(this.first, askedTo) && isUnasked(this.candidate, askedTo));
		this.answers = again ? this.answers + 1 : 0;
		this.recentResponses[this.answers % ANSWERS] = this.responses;
		this.candidate = this.first;
		restart();
		return this.candidate != NONE;
	}

	/** The reference gives one record more than it was asked for. */
	static boolean isUnasked(long sequence, long askedTo) {
		return sequence != NONE && sequence > askedTo + 1;
	}

	boolean isSufficient() {
		return this.candidate != NONE && this.answers >= ANSWERS;
	}

	/** Returns the number of nodes that answered each of the latest questions. */
	int responders() {
		return Arrays.stream(this.recentResponses).min().orElse(0);
	}

	/** The first record that is there. */
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
