package io.statestore.client.lock;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All monitors of a registry. Safe for use by several threads. */
final class LockMonitors {

	private static final Logger logger = LoggerFactory.getLogger(LockMonitors.class);

	private final List<LockMonitor> monitors = new CopyOnWriteArrayList<>();

	void add(LockMonitor monitor) {
		this.monitors.add(monitor);
	}

	/** Passes a measurement to all monitors. A failure does not affect the lock. */
	void measured(Consumer<LockMonitor> measurement) {
		for (LockMonitor monitor : this.monitors) {
			try {
				measurement.accept(monitor);
			}
			catch (RuntimeException | Error ex) {
				logger.error("LockMonitor {} failed; the lock is not affected", monitor.getClass().getName(), ex);
			}
		}
	}

}
