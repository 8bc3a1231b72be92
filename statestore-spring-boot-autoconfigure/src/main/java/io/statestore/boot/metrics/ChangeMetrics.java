package io.statestore.boot.metrics;

import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.watch.KeyWatches;

/** Binds meters for watched keys and the changes that their listeners receive. */
class ChangeMetrics implements MeterBinder {

	private final Map<String, KeyWatches> watches;

	/**
	 * Creates a binder.
	 * @param watches watches by bean name
	 */
	ChangeMetrics(Map<String, KeyWatches> watches) {
		this.watches = watches;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.watches.forEach((name, watches) -> bind(registry, name, watches));
	}

	private static void bind(MeterRegistry registry, String name, KeyWatches watches) {
		gauge(registry, name, watches, "statestore.watches",
				"The number of watched keys, including those of locks that are held or awaited",
				KeyWatches.Statistics::watchedKeys);
		gauge(registry, name, watches, "statestore.changes.pending",
				"The number of changes that wait for their listeners", KeyWatches.Statistics::behind);
		delivered(registry, name, watches, false, (statistics) -> statistics.delivered() - statistics.resynchronized());
		delivered(registry, name, watches, true, KeyWatches.Statistics::resynchronized);
		FunctionCounter.builder("statestore.changes.dropped", watches, (self) -> self.statistics().dropped())
			.description("The number of changes replaced by a later one because a listener was too slow")
			.tag("name", name)
			.register(registry);
	}

	private static void gauge(MeterRegistry registry, String name, KeyWatches watches, String meter, String description,
			ToDoubleFunction<KeyWatches.Statistics> value) {
		Gauge.builder(meter, watches, (self) -> value.applyAsDouble(self.statistics()))
			.description(description)
			.tag("name", name)
			.register(registry);
	}

	private static void delivered(MeterRegistry registry, String name, KeyWatches watches, boolean resynchronized,
			ToDoubleFunction<KeyWatches.Statistics> value) {
		FunctionCounter
			.builder("statestore.changes.delivered", watches, (self) -> value.applyAsDouble(self.statistics()))
			.description("The number of changes passed to listeners")
			.tag("name", name)
			.tag("resynchronized", Boolean.toString(resynchronized))
			.register(registry);
	}

}
