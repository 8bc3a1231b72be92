package io.statestore.boot.metrics;

import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.watch.KeyWatches;

/**
 * Binds meters for watched keys and the changes that their listeners receive.
 *
 * @param watches watches by bean name
 */
record ChangeMetrics(Map<String, KeyWatches> watches) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		this.watches.forEach((name, watches) -> {
			Meters<KeyWatches, KeyWatches.Statistics> meters = new Meters<>(registry, "statestore.",
					Tags.of("name", name), watches, KeyWatches::statistics);
			meters.gauge("watches", "The number of watched keys, including those of locks that are held or awaited",
					KeyWatches.Statistics::watchedKeys);
			meters.gauge("changes.pending", "The number of changes waiting for their listeners",
					KeyWatches.Statistics::behind);
			delivered(meters, false, (statistics) -> statistics.delivered() - statistics.resynchronized());
			delivered(meters, true, KeyWatches.Statistics::resynchronized);
			meters.count("changes.dropped",
					"The number of changes replaced by a later change because a listener was too slow",
					KeyWatches.Statistics::dropped);
		});
	}

	private static void delivered(Meters<KeyWatches, KeyWatches.Statistics> meters, boolean resynchronized,
			ToDoubleFunction<KeyWatches.Statistics> value) {
		meters.tagged("resynchronized", Boolean.toString(resynchronized))
			.count("changes.delivered", "The number of changes passed to listeners", value);
	}

}
