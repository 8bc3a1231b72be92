package io.statestore.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the age of the copy of the store on this node. Thread-safe.
 * <p>
 * A confirmation ends once this node has applied everything that was committed when the
 * confirmation began. So the age is at most the time since the beginning of the last
 * successful one.
 */
final class AgeMeasurement {

	/** Interval of {@link #check()}, and of attempts before the first success. */
	static final Duration CHECKS = Duration.ofMillis(200);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/**
	 * Time after which another confirmation begins. A node that replays its log may need
	 * longer for the first one, which still counts when it ends.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Logger logger = LoggerFactory.getLogger(AgeMeasurement.class);

	private final Supplier<CompletableFuture<Void>> confirmation;

	private final LongSupplier nanoTime;

	/** Whether the last confirmation has not ended. */
	private boolean pending;

	/** Beginning of the last confirmation. */
	private long begun;

	/** Beginning of the last successful confirmation. */
	private @Nullable Long confirmed;

	/**
	 * Creates an object.
	 * @param confirmation begins a confirmation, without waiting
	 * @param nanoTime returns the time of {@link System#nanoTime()}
	 */
	AgeMeasurement(Supplier<CompletableFuture<Void>> confirmation, LongSupplier nanoTime) {
		this.confirmation = confirmation;
		this.nanoTime = nanoTime;
	}

	/** Begins a confirmation if it is time. Must be called repeatedly. */
	void check() {
		long now = this.nanoTime.getAsLong();
		if (!begin(now)) {
			return;
		}
		try {
			this.confirmation.get().whenComplete((done, failure) -> end(now, failure));
		}
		catch (RuntimeException ex) {
			// An exception would end the repetitions.
			end(now, ex);
		}
	}

	private synchronized boolean begin(long now) {
		long elapsed = now - this.begun;
		if ((this.pending && elapsed < TIMEOUT.toNanos()) || (this.confirmed != null && elapsed < INTERVAL.toNanos())) {
			return false;
		}
		this.pending = true;
		this.begun = now;
		return true;
	}

	private synchronized void end(long begun, @Nullable Throwable failure) {
		if (begun == this.begun) {
			this.pending = false;
		}
		Long confirmed = this.confirmed;
		if (failure != null) {
			logger.debug("The age of the copy of the store was not confirmed", failure);
		}
		else if (confirmed == null || begun - confirmed > 0) {
			this.confirmed = begun;
		}
	}

	/**
	 * Returns an upper bound of the age.
	 * @return the bound, empty before the first successful confirmation
	 */
	synchronized Optional<Duration> age() {
		return Optional.ofNullable(this.confirmed)
			.map((confirmed) -> Duration.ofNanos(this.nanoTime.getAsLong() - confirmed));
	}

}
