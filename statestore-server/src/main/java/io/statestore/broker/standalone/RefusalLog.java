package io.statestore.broker.standalone;

import java.util.Locale;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;

/**
 * Logs refusals. Writes at most one line per minute, and only if a limit has refused
 * something since the previous line.
 */
final class RefusalLog {

	private static final long INTERVAL_SECONDS = 60;

	private final Supplier<StateStoreStatistics> statistics;

	private final Consumer<String> log;

	/** Number of refusals at the time of the previous line. */
	private long reported;

	RefusalLog(Supplier<StateStoreStatistics> statistics, Consumer<String> log) {
		this.statistics = statistics;
		this.log = log;
	}

	/** Starts a daemon thread that calls {@link #report()} once a minute. */
	void start() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-refusals");
			thread.setDaemon(true);
			return thread;
		});
		timer.scheduleWithFixedDelay(this::report, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
	}

	/** Logs a line if a limit has refused something since the previous line. */
	synchronized void report() {
		StateStoreStatistics statistics = this.statistics.get();
		long refusals = statistics.refusals();
		if (refusals == this.reported) {
			return;
		}
		StoreStatistics store = statistics.store();
		MemoryStatistics clients = statistics.clientMemory();
		this.log.accept(String.format(Locale.ROOT,
				"Limits refused %d times since the last report, %d times since the start: %d requests, client memory %s, %d connections of principals. "
						+ "In use: %d of %d keys, %d of %d bytes, %d of %d bytes of client memory",
				refusals - this.reported, refusals, store.refusedRequests(), clients.refusals(),
				statistics.principals().refusedConnections(), store.keys(), store.maxKeys(), store.bytes(),
				store.maxBytes(), clients.usedBytes(), clients.maxBytes()));
		this.reported = refusals;
	}

}
