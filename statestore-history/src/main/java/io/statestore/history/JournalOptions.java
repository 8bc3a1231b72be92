package io.statestore.history;

import java.time.Duration;
import java.time.InstantSource;

/**
 * What may be chosen of a {@link Journal}.
 *
 * @param sync whether to wait for the disk
 * @param retentionTime how long to keep records
 * @param retentionBytes how much to keep
 * @param retentionInterval how often to look
 * @param time the time of day
 */
record JournalOptions(boolean sync, Duration retentionTime, long retentionBytes, Duration retentionInterval,
		InstantSource time) {

	static final Duration FOR_EVER = Duration.ofDays(36_500);

	static JournalOptions defaults() {
		return new JournalOptions(false, FOR_EVER, Long.MAX_VALUE, Duration.ofSeconds(10), InstantSource.system());
	}

	JournalOptions withSync(boolean sync) {
		return new JournalOptions(sync, this.retentionTime, this.retentionBytes, this.retentionInterval, this.time);
	}

	JournalOptions withRetentionTime(Duration retentionTime) {
		return new JournalOptions(this.sync, retentionTime, this.retentionBytes, this.retentionInterval, this.time);
	}

	JournalOptions withRetentionBytes(long retentionBytes) {
		return new JournalOptions(this.sync, this.retentionTime, retentionBytes, this.retentionInterval, this.time);
	}

	boolean retains() {
		return this.retentionBytes != Long.MAX_VALUE || !this.retentionTime.equals(FOR_EVER);
	}

}
