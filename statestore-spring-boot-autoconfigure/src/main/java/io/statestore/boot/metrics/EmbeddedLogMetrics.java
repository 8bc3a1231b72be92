package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.DurabilityStatistics;

/**
 * Binds meters for the embedded broker's directory. Binds none if the broker keeps its
 * data only in memory.
 */
record EmbeddedLogMetrics(StateStoreBroker broker) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		if (this.broker.durability().isEmpty()) {
			return;
		}
		Meters<StateStoreBroker, DurabilityStatistics> meters = new Meters<>(registry, "statestore.", Tags.empty(),
				this.broker, (broker) -> broker.durability().orElse(null));
		meters.gauge("log.size", "bytes", "The size of the command log on disk", DurabilityStatistics::logBytes);
		meters.gauge("log.segments", "The number of command log files", DurabilityStatistics::segments);
		meters.gauge("log.pending", "entries", "The number of entries waiting to be written or applied",
				DurabilityStatistics::entriesBehind);
		meters.gauge("log.writable", "Whether writes are accepted: 1, or 0 while the disk is full",
				(log) -> log.writable() ? 1 : 0);
		FunctionTimer
			.builder("statestore.log.fsync", this, (self) -> (long) self.value(DurabilityStatistics::forceCount),
					(self) -> self.value(DurabilityStatistics::forceTotalNanos), TimeUnit.NANOSECONDS)
			.description("The time taken to force the command log to disk")
			.register(registry);
		meters.time("log.fsync.max", "The longest time taken to force the command log to disk",
				(log) -> Duration.ofNanos(log.forceMaxNanos()));
		meters.gauge("snapshot.size", "bytes", "The size of the latest snapshot", DurabilityStatistics::snapshotBytes);
		meters.time("snapshot.age", "The time since the latest snapshot", DurabilityStatistics::snapshotAge);
		meters.gauge("recovery.entries", "entries", "The number of entries recovered at startup",
				DurabilityStatistics::recoveredEntries);
		meters.time("recovery.duration", "The duration of the recovery at startup",
				DurabilityStatistics::recoveryDuration);
	}

	private double value(ToDoubleFunction<DurabilityStatistics> value) {
		return this.broker.durability().map(value::applyAsDouble).orElse(Double.NaN);
	}

}
