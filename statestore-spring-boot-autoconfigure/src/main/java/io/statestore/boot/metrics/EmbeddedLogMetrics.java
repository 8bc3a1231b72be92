package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.DurabilityStatistics;
import org.jspecify.annotations.Nullable;

/**
 * Binds meters for the directory of the embedded broker. Binds none if the broker keeps
 * its data in memory only.
 */
class EmbeddedLogMetrics implements MeterBinder {

	private final StateStoreBroker broker;

	EmbeddedLogMetrics(StateStoreBroker broker) {
		this.broker = broker;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		if (this.broker.durability().isEmpty()) {
			return;
		}
		gauge(registry, "statestore.log.size", "The size of the command log on disk", "bytes",
				DurabilityStatistics::logBytes);
		gauge(registry, "statestore.log.segments", "The number of files of the command log", null,
				DurabilityStatistics::segments);
		gauge(registry, "statestore.log.pending", "The number of entries waiting to be written or applied", "entries",
				DurabilityStatistics::entriesBehind);
		gauge(registry, "statestore.log.writable", "Whether writes are accepted: 1, or 0 while the disk is full", null,
				(log) -> log.writable() ? 1 : 0);
		FunctionTimer
			.builder("statestore.log.fsync", this, (self) -> (long) self.value(DurabilityStatistics::forceCount),
					(self) -> self.value(DurabilityStatistics::forceTotalNanos), TimeUnit.NANOSECONDS)
			.description("The time taken to force the command log to disk")
			.register(registry);
		time(registry, "statestore.log.fsync.max", "The longest time taken to force the command log to disk",
				DurabilityStatistics::forceMaxNanos);
		gauge(registry, "statestore.snapshot.size", "The size of the latest snapshot", "bytes",
				DurabilityStatistics::snapshotBytes);
		time(registry, "statestore.snapshot.age", "The time since the latest snapshot",
				(log) -> nanos(log.snapshotAge()));
		gauge(registry, "statestore.recovery.entries", "The number of entries recovered at the start", "entries",
				DurabilityStatistics::recoveredEntries);
		time(registry, "statestore.recovery.duration", "The duration of the recovery at the start",
				(log) -> nanos(log.recoveryDuration()));
	}

	private void gauge(MeterRegistry registry, String name, String description, @Nullable String unit,
			ToDoubleFunction<DurabilityStatistics> value) {
		Gauge.builder(name, this, (self) -> self.value(value))
			.description(description)
			.baseUnit(unit)
			.register(registry);
	}

	private void time(MeterRegistry registry, String name, String description,
			ToDoubleFunction<DurabilityStatistics> nanos) {
		TimeGauge.builder(name, this, TimeUnit.NANOSECONDS, (self) -> self.value(nanos))
			.description(description)
			.register(registry);
	}

	private double value(ToDoubleFunction<DurabilityStatistics> value) {
		return this.broker.durability().map(value::applyAsDouble).orElse(Double.NaN);
	}

	private static double nanos(@Nullable Duration duration) {
		return (duration != null) ? duration.toNanos() : Double.NaN;
	}

}
