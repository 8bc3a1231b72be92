package io.statestore.dafka.node.internal;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts refusals. Logs each reason at most once a minute. Thread-safe. */
final class Refusals {

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Ticker ticker;

	/** Number of refusals, by reason. */
	private final long[] counts = new long[Refusal.values().length];

	/** Earliest time of the next log message in nanoseconds, by reason. */
	private final long[] logAt = new long[this.counts.length];

	Refusals(Ticker ticker) {
		this.ticker = ticker;
	}

	/**
	 * Counts a refusal.
	 * @param refusal reason to count
	 * @param socket name of the socket, for the log
	 * @param address the peer's address, for the log
	 * @param detail key or similar detail for the log, possibly empty
	 */
	synchronized void add(Refusal refusal, String socket, String address, String detail) {
		int reason = refusal.ordinal();
		long now = this.ticker.nanos();
		if (this.counts[reason]++ == 0 || now - this.logAt[reason] >= 0) {
			this.logAt[reason] = now + INTERVAL_NANOS;
			logger.warn("Refused {} from {} on the {}. Refused for this reason so far: {}. {}{}", refusal, address,
					socket, this.counts[reason], refusal.advice(), detail);
		}
	}

	/** Returns the number of refusals for any reason. */
	synchronized long total() {
		return Arrays.stream(this.counts).sum();
	}

}
