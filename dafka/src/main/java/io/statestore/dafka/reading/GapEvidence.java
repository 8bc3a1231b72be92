package io.statestore.dafka.reading;

/**
 * Tells records that are gone from those that got lost on the way. Whoever is asked for a
 * record and has only later ones answers with the first of these. So does an answer of
 * which the beginning got lost; but that comes once, and with records that were asked
 * for, while the other comes whenever it is asked for. If it is another one each time,
 * because whoever answers lets go of the oldest all the time, it counts from where
 * nothing was asked for.
 */
final class GapEvidence {

	private static final int ANSWERS = 3;

	private static final long NONE = Long.MAX_VALUE;

	/** The first record that came since the last question. */
	private long first = NONE;

	/** The one that came after the questions before. */
	private long candidate = NONE;

	private int answers;

	/** A record came that is later than the one asked for. */
	void answered(long sequence) {
		this.first = Math.min(this.first, sequence);
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
		this.candidate = this.first;
		this.first = NONE;
		return this.candidate != NONE;
	}

	/** The reference gives one record more than it was asked for. */
	static boolean isUnasked(long sequence, long askedTo) {
		return sequence != NONE && sequence > askedTo + 1;
	}

	boolean isSufficient() {
		return this.candidate != NONE && this.answers >= ANSWERS;
	}

	/** The first record that is there. */
	long availableFrom() {
		return this.candidate;
	}

	void clear() {
		this.first = NONE;
		this.candidate = NONE;
		this.answers = 0;
	}

}
