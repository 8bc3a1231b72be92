package io.statestore.dafka.store;

import java.time.Duration;

import io.statestore.dafka.internal.WarningLimit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of missing, lost, and late records. Limits the messages of each kind. Not
 * thread-safe.
 */
final class LossReporter {

	private static final Logger logger = LoggerFactory.getLogger(LossReporter.class);

	/** Option of the store, {@code null} to wait without limit. */
	private final @Nullable Duration skipTimeout;

	private final WarningLimit missing = new WarningLimit();

	private final WarningLimit lost = new WarningLimit();

	private final WarningLimit late = new WarningLimit();

	LossReporter(@Nullable Duration skipTimeout) {
		this.skipTimeout = skipTimeout;
	}

	/** Reports that no node has sent the next record for {@code lossTimeout}. */
	void missing(long sequence, Object partition, long now) {
		this.missing.warn(logger, now,
				"No node sends record {} of {}. Waiting for another store that has it, or for its producer, {}",
				sequence, partition, limit());
	}

	private String limit() {
		return (this.skipTimeout != null) ? "for " + this.skipTimeout + " ('skipTimeout') if that producer is running"
				: "without limit ('skipTimeout' is not set)";
	}

	/** Reports records that the store has declared lost. */
	void lost(long first, long last, Object partition, long now) {
		if (this.lost.permits(now)) {
			logger.error(
					"Records {} to {} of {} are lost: no store or producer sent them. The store continues with"
							+ " record {}. Similar messages left out: {}",
					first, last, partition, last + 1, this.lost.suppressed());
		}
	}

	/** Reports a record that arrived after it was declared lost. */
	void late(long sequence, Object partition, long now) {
		this.late.warn(logger, now,
				"Record {} of {} arrived after this store had declared it lost. This store does not keep it. Set a"
						+ " longer 'skipTimeout', so that it waits for slow nodes",
				sequence, partition);
	}

}
