package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters that read one source's statistics. The meters hold the source weakly
 * and return NaN while there are no statistics.
 *
 * @param <S> type of the source
 * @param <T> type of the statistics
 * @param registry registry for the meters
 * @param prefix prefix of the meter names
 * @param tags tags of all meters
 * @param source source of the statistics
 * @param statistics reads the source's statistics
 */
record Meters<S, T>(MeterRegistry registry, String prefix, Tags tags, S source, Function<S, @Nullable T> statistics) {

	Meters<S, T> tagged(String key, String value) {
		return new Meters<>(this.registry, this.prefix, this.tags.and(key, value), this.source, this.statistics);
	}

	void gauge(String name, String description, ToDoubleFunction<T> value) {
		gauge(name, null, description, value);
	}

	void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<T> value) {
		Gauge.builder(this.prefix + name, this.source, value(this.statistics, value))
			.description(description)
			.baseUnit(unit)
			.tags(this.tags)
			.register(this.registry);
	}

	void time(String name, String description, Function<T, @Nullable Duration> time) {
		TimeGauge
			.builder(this.prefix + name, this.source, TimeUnit.SECONDS,
					value(this.statistics, (statistics) -> seconds(time.apply(statistics))))
			.description(description)
			.tags(this.tags)
			.register(this.registry);
	}

	private static double seconds(@Nullable Duration time) {
		return (time != null) ? time.getSeconds() + time.getNano() / 1e9 : Double.NaN;
	}

	void count(String name, String description, ToDoubleFunction<T> value) {
		FunctionCounter.builder(this.prefix + name, this.source, value(this.statistics, value))
			.description(description)
			.tags(this.tags)
			.register(this.registry);
	}

	/** Static, so that the function does not hold the source. */
	private static <S, T> ToDoubleFunction<S> value(Function<S, @Nullable T> statistics, ToDoubleFunction<T> value) {
		return (source) -> {
			T current = statistics.apply(source);
			return (current != null) ? value.applyAsDouble(current) : Double.NaN;
		};
	}

	/** Returns a constant's tag value: its name in lower case with hyphens. */
	static String tagValue(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
