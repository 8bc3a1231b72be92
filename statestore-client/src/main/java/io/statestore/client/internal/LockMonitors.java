package io.statestore.client.internal;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.integration.support.locks.LockRegistry;

/** A lock registry's monitors. Thread-safe. */
public final class LockMonitors {

	private static final Logger logger = LoggerFactory.getLogger(LockMonitors.class);

	/**
	 * Monitors by registry, so that registries do not need a public method to return
	 * them. Values are weak because monitors may refer to their registry; the registry
	 * keeps them reachable.
	 */
	private static final Map<LockRegistry<?>, WeakReference<LockMonitors>> ALL = new WeakHashMap<>();

	private final List<Monitor> monitors = new CopyOnWriteArrayList<>();

	/**
	 * Returns the monitors of a registry.
	 * @param registry the registry, compared by identity; it must keep a reference to the
	 * result
	 * @return the monitors, always the same object for a registry
	 */
	public static LockMonitors of(LockRegistry<?> registry) {
		synchronized (ALL) {
			WeakReference<LockMonitors> known = ALL.get(registry);
			LockMonitors monitors = (known != null) ? known.get() : null;
			if (monitors == null) {
				monitors = new LockMonitors();
				ALL.put(registry, new WeakReference<>(monitors));
			}
			return monitors;
		}
	}

	/**
	 * Adds a monitor, which receives all later measurements.
	 * @param monitor receives the measurements
	 */
	public void add(Monitor monitor) {
		this.monitors.add(monitor);
	}

	/**
	 * Passes a measurement to all monitors. A monitor's failure does not affect the lock.
	 * @param measurement calls the monitor method for this measurement
	 */
	public void measured(Consumer<Monitor> measurement) {
		for (Monitor monitor : this.monitors) {
			try {
				measurement.accept(monitor);
			}
			catch (Throwable ex) {
				logger.error("Monitor {} failed; the lock is not affected", monitor.getClass().getName(), ex);
			}
		}
	}

	/** Outcome of an attempt to acquire a lock. */
	public enum Outcome {

		/** The lock was acquired. */
		ACQUIRED,

		/** Another holder kept the lock during the entire wait. */
		NOT_ACQUIRED,

		/** The attempt ended with an exception, such as an interrupt. */
		FAILED

	}

	/**
	 * Receives measurements of a registry's locks. Called on threads that acquire locks
	 * and on client threads, so implementations must not block. Their exceptions are
	 * logged.
	 */
	public interface Monitor {

		/**
		 * Called at the end of an attempt to acquire a lock that the thread does not
		 * already hold.
		 * @param outcome how the attempt ended
		 * @param wait time since the start of the attempt
		 */
		default void waited(Outcome outcome, Duration wait) {
		}

		/**
		 * Called when the store has confirmed a renewal.
		 * @param latency time from the request to the reply
		 */
		default void renewed(Duration latency) {
		}

		/**
		 * Called when a renewal was not confirmed. More attempts follow while the lock is
		 * held.
		 */
		default void renewalFailed() {
		}

		/**
		 * Called when a held lock is lost.
		 * @param reason a {@code LockLostEvent.Reason}
		 */
		default void lost(Enum<?> reason) {
		}

	}

}
