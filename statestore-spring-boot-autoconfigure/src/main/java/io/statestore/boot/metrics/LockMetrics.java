package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.internal.LockMonitors.Outcome;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.StateStoreLockRegistry;

/**
 * Binds meters for the locks of registries. They have no tag with the name of a lock,
 * because an application may lock any number of names.
 */
class LockMetrics implements MeterBinder {

	private final Map<String, StateStoreLockRegistry> registries;

	/**
	 * Creates a binder.
	 * @param registries lock registries by bean name
	 */
	LockMetrics(Map<String, StateStoreLockRegistry> registries) {
		this.registries = registries;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.registries.forEach((name, locks) -> {
			Gauge.builder("statestore.lock.held", locks, (self) -> self.heldLocks().size())
				.description("The number of locks that this process holds")
				.tag("name", name)
				.register(registry);
			LockMonitors.of(locks).add(new Meters(registry, name));
		});
	}

	/** Meters of one lock registry, all of which exist from the start. */
	private static final class Meters implements LockMonitors.Monitor {

		private final Map<Outcome, Timer> waits = new EnumMap<>(Outcome.class);

		private final Map<Reason, Counter> losses = new EnumMap<>(Reason.class);

		private final Timer renewals;

		private final Counter failures;

		Meters(MeterRegistry registry, String name) {
			for (Outcome outcome : Outcome.values()) {
				this.waits.put(outcome,
						Timer.builder("statestore.lock.wait")
							.description("The time spent waiting for a lock")
							.tag("name", name)
							.tag("outcome", TagValues.of(outcome))
							.register(registry));
			}
			for (Reason reason : Reason.values()) {
				// A release is not a loss.
				if (reason != Reason.RELEASED) {
					this.losses.put(reason,
							Counter.builder("statestore.lock.lost")
								.description("The number of held locks that were lost")
								.tag("name", name)
								.tag("reason", TagValues.of(reason))
								.register(registry));
				}
			}
			this.renewals = Timer.builder("statestore.lock.renewal")
				.description("The time from the request of a renewal to its confirmation")
				.tag("name", name)
				.register(registry);
			this.failures = Counter.builder("statestore.lock.renewal.failures")
				.description("The number of renewals that were not confirmed")
				.tag("name", name)
				.register(registry);
		}

		@Override
		public void waited(Outcome outcome, Duration wait) {
			Objects.requireNonNull(this.waits.get(outcome)).record(wait);
		}

		@Override
		public void renewed(Duration latency) {
			this.renewals.record(latency);
		}

		@Override
		public void renewalFailed() {
			this.failures.increment();
		}

		@Override
		public void lost(Enum<?> reason) {
			Objects.requireNonNull(this.losses.get(reason)).increment();
		}

	}

}
