package io.statestore.dafka.zmtp;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts refusals, and logs each reason at most once a minute. Safe for any thread. */
final class Refusals {

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LongAdder total = new LongAdder();

	private final Map<Refusal, Counter> counters = new ConcurrentHashMap<>();

	/**
	 * Counts a refusal.
	 * @param refusal the reason
	 * @param socket the socket, for the log
	 * @param address the peer, for the log
	 */
	void add(Refusal refusal, String socket, String address) {
		this.total.increment();
		Counter counter = this.counters.computeIfAbsent(refusal, (key) -> new Counter());
		if (counter.increment(System.nanoTime())) {
			logger.warn("Refused {} from {} on the {}. Refused for this reason so far: {}. "
					+ "Check which program connects there", refusal, address, socket, counter.count);
		}
	}

	/** Returns the number of refusals. */
	long total() {
		return this.total.sum();
	}

	private static final class Counter {

		private long count;

		private long logAt = System.nanoTime();

		/** Returns whether to log. */
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
