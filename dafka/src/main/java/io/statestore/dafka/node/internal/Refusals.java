package io.statestore.dafka.node.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of refusals. Logs each reason at most once a minute. Thread-safe. */
final class Refusals {

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Ticker ticker;

	private final LongAdder total = new LongAdder();

	private final Map<Refusal, Counter> counters = new ConcurrentHashMap<>();

	Refusals(Ticker ticker) {
		this.ticker = ticker;
	}

	/**
	 * Counts a refusal.
	 * @param refusal the reason
	 * @param socket name of the socket, for the log
	 * @param address address of the peer, for the log
	 * @param detail key or similar detail for the log, may be empty
	 */
	void add(Refusal refusal, String socket, String address, String detail) {
		this.total.increment();
		long now = this.ticker.nanos();
		Counter counter = this.counters.computeIfAbsent(refusal, (key) -> new Counter(now));
		if (counter.increment(now)) {
			logger.warn("Refused {} from {} on the {}. Refused for this reason so far: {}. {}{}", refusal, address,
					socket, counter.count, refusal.advice(), detail);
		}
	}

	/** Returns the number of refusals. */
	long total() {
		return this.total.sum();
	}

	private static final class Counter {

		private long count;

		private long logAt;

		Counter(long now) {
			this.logAt = now;
		}

		/** Counts a refusal, and returns whether to log it. */
		synchronized boolean increment(long now) {
			this.count++;
			boolean due = now - this.logAt >= 0;
			if (due) {
				this.logAt = now + INTERVAL_NANOS;
			}
			return due;
		}

	}

}
