package io.statestore.boot.metrics;

import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.client.observation.KeyObservations;
import io.statestore.client.observation.ObservationStatistics;

/** Binds meters for observed keys and the changes that their listeners receive. */
class ChangeMetrics implements MeterBinder {

	private final Map<String, KeyObservations> observations;

	/**
	 * Creates a binder.
	 * @param observations observations by bean name
	 */
	ChangeMetrics(Map<String, KeyObservations> observations) {
		this.observations = observations;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.observations.forEach((name, observations) -> bind(registry, name, observations));
	}

	private static void bind(MeterRegistry registry, String name, KeyObservations observations) {
		gauge(registry, name, observations, "statestore.observations",
				"The number of observed keys, including those of locks that are held or awaited",
				ObservationStatistics::observedKeys);
		gauge(registry, name, observations, "statestore.changes.behind",
				"The number of changes that wait for their listeners", ObservationStatistics::behind);
		delivered(registry, name, observations, false,
				(statistics) -> statistics.delivered() - statistics.resynchronized());
		delivered(registry, name, observations, true, ObservationStatistics::resynchronized);
		FunctionCounter.builder("statestore.changes.dropped", observations, (self) -> self.statistics().dropped())
			.description("The number of changes replaced by a later one because a listener was too slow")
			.tag("name", name)
			.register(registry);
	}

	private static void gauge(MeterRegistry registry, String name, KeyObservations observations, String meter,
			String description, ToDoubleFunction<ObservationStatistics> value) {
		Gauge.builder(meter, observations, (self) -> value.applyAsDouble(self.statistics()))
			.description(description)
			.tag("name", name)
			.register(registry);
	}

	private static void delivered(MeterRegistry registry, String name, KeyObservations observations,
			boolean resynchronized, ToDoubleFunction<ObservationStatistics> value) {
		FunctionCounter
			.builder("statestore.changes.delivered", observations, (self) -> value.applyAsDouble(self.statistics()))
			.description("The number of changes passed to listeners")
			.tag("name", name)
			.tag("resynchronized", Boolean.toString(resynchronized))
			.register(registry);
	}

}
