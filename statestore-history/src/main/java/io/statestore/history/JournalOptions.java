package io.statestore.history;

import java.time.Duration;
import java.time.InstantSource;

/**
 * Options of a {@link Journal}.
 *
 * @param retentionTime minimum age of records that retention removes
 * @param retentionBytes maximum size of all records, in bytes
 * @param retentionInterval minimum interval at which retention removes records
 * @param time clock for retention by age
 */
record JournalOptions(Duration retentionTime, long retentionBytes, Duration retentionInterval, InstantSource time) {

	/** Retention time that keeps all records. */
	static final Duration FOR_EVER = Duration.ofDays(36_500);

	static JournalOptions defaults() {
		return new JournalOptions(FOR_EVER, Long.MAX_VALUE, Duration.ofSeconds(10), InstantSource.system());
	}

	JournalOptions withRetentionTime(Duration retentionTime) {
		return new JournalOptions(retentionTime, this.retentionBytes, this.retentionInterval, this.time);
	}

	JournalOptions withRetentionBytes(long retentionBytes) {
		return new JournalOptions(this.retentionTime, retentionBytes, this.retentionInterval, this.time);
	}

	/** Returns whether retention removes any records. */
	boolean retains() {
		return this.retentionBytes != Long.MAX_VALUE || !this.retentionTime.equals(FOR_EVER);
	}

}
