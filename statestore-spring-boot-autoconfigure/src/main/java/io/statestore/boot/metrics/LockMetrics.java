package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.internal.LockMonitors.Outcome;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.StateStoreLockRegistry;

/**
 * Binds meters for the locks of lock registries. The meters are not tagged with lock
 * names, because an application may use any number of names.
 *
 * @param registries lock registries by bean name
 */
record LockMetrics(Map<String, StateStoreLockRegistry> registries) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		this.registries.forEach((name, locks) -> {
			Gauge.builder("statestore.lock.held", locks, (self) -> self.heldLocks().size())
				.description("The number of locks that this process holds")
				.tag("name", name)
				.register(registry);
			LockMonitors.of(locks).add(new Monitor(registry, name));
		});
	}

	/** Meters of one lock registry. All of them are registered from the start. */
	private static final class Monitor implements LockMonitors.Monitor {

		private final MeterProvider<Timer> waits;

		private final MeterProvider<Counter> losses;

		private final Timer renewals;

		private final Counter failures;

		Monitor(MeterRegistry registry, String name) {
			this.waits = Timer.builder("statestore.lock.wait")
				.description("The time spent waiting for a lock")
				.tag("name", name)
				.withRegistry(registry);
			this.losses = Counter.builder("statestore.lock.lost")
				.description("The number of held locks that were lost")
				.tag("name", name)
				.withRegistry(registry);
			this.renewals = Timer.builder("statestore.lock.renewal")
				.description("The time from the request for a renewal to its confirmation")
				.tag("name", name)
				.register(registry);
			this.failures = Counter.builder("statestore.lock.renewal.failures")
				.description("The number of renewals that were not confirmed")
				.tag("name", name)
				.register(registry);
			EnumSet.allOf(Outcome.class).forEach(this::wait);
			// A release does not count as a loss.
			EnumSet.complementOf(EnumSet.of(Reason.RELEASED)).forEach(this::loss);
		}

		private Timer wait(Outcome outcome) {
			return this.waits.withTag("outcome", Meters.tagValue(outcome));
		}

		private Counter loss(Enum<?> reason) {
			return this.losses.withTag("reason", Meters.tagValue(reason));
		}

		@Override
		public void waited(Outcome outcome, Duration wait) {
			wait(outcome).record(wait);
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
			loss(reason).increment();
		}

	}

}
