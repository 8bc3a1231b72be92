package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All monitors of a registry. Safe for use by several threads. */
final class LockMonitors implements LockMonitor {

	private static final Logger logger = LoggerFactory.getLogger(LockMonitors.class);

	private final List<LockMonitor> monitors = new CopyOnWriteArrayList<>();

	void add(LockMonitor monitor) {
		this.monitors.add(monitor);
	}

	@Override
	public void waited(Outcome outcome, Duration wait) {
		all((monitor) -> monitor.waited(outcome, wait));
	}

	@Override
	public void renewed(Duration latency) {
		all((monitor) -> monitor.renewed(latency));
	}

	@Override
	public void renewalFailed() {
		all(LockMonitor::renewalFailed);
	}

	@Override
	public void lost(LockLostEvent.Reason reason) {
		all((monitor) -> monitor.lost(reason));
	}

	/** Notifies all monitors. A failure must not affect the lock. */
	private void all(Consumer<LockMonitor> event) {
		for (LockMonitor monitor : this.monitors) {
			try {
				event.accept(monitor);
			}
			catch (RuntimeException | Error ex) {
				logger.error("LockMonitor {} failed; the lock is not affected", monitor.getClass().getName(), ex);
			}
		}
	}

}
