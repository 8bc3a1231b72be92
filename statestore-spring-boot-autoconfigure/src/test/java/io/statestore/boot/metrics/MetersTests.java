package io.statestore.boot.metrics;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	/**
	 * Clock offset of a store whose clock is wrong by more than the 292 years that fit in
	 * nanoseconds.
	 */
	private final Duration offset = Duration.ofDays(365_000);

	@Test
	void showTimeThatExceedsNanoseconds() {
		new Meters<>(this.registry, "clock.", Tags.empty(), this.offset, Function.identity()).time("offset",
				"The lead of a clock", (time) -> time);
		assertThat(this.registry.get("clock.offset").timeGauge().value(TimeUnit.DAYS)).isEqualTo(365_000);
	}

}
