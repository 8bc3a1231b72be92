package io.statestore.client.leader;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

class FixedRateRunsTests {

	private static final int PERIOD = 10;

	private final AtomicLong clock = new AtomicLong();

	private final FixedRateRuns runs = new FixedRateRuns(this, Duration.ofNanos(PERIOD), this.clock::get);

	@Test
	void runsEveryPeriod() {
		assertThat(schedule(50, 3)).containsExactly(0L, 10L, 20L, 30L, 40L);
	}

	@Test
	void runsEveryPeriodIfRunTakesAlmostAsLong() {
		assertThat(schedule(50, 9)).containsExactly(0L, 10L, 20L, 30L, 40L);
	}

	@Test
	void dropsRunsMissedDuringBlockedRun() {
		assertThat(schedule(150, 103, 1)).containsExactly(0L, 110L, 120L, 130L, 140L);
	}

	@Test
	void dropsRunShortlyAfterBlockedRun() {
		assertThat(schedule(150, 108, 1)).containsExactly(0L, 120L, 130L, 140L);
	}

	@Test
	void runsOnceIfAnotherTaskBlockedScheduler() {
		assertThat(this.runs.begin()).isTrue();
		this.runs.end();
		this.clock.set(103);
		assertThat(this.runs.begin()).isTrue();
		this.runs.end();
		assertThat(this.runs.begin()).isFalse();
		this.clock.set(110);
		assertThat(this.runs.begin()).isTrue();
	}

	@Test
	void skipsRunWhileAnotherIsInProgress() {
		assertThat(this.runs.begin()).isTrue();
		this.clock.set(PERIOD);
		assertThat(this.runs.begin()).isFalse();
	}

	/**
	 * Simulates a scheduler with one thread, which makes up for missed runs.
	 * @param durations of the runs; the last one is repeated
	 * @return the times at which runs began
	 */
	private List<Long> schedule(int end, int... durations) {
		List<Long> begun = new ArrayList<>();
		for (int due = 0; due < end; due += PERIOD) {
			this.clock.set(Math.max(due, this.clock.get()));
			if (this.runs.begin()) {
				int duration = durations[Math.min(begun.size(), durations.length - 1)];
				begun.add(this.clock.get());
				this.clock.addAndGet(duration);
				this.runs.end();
			}
		}
		return begun;
	}

	@ParameterizedTest
	@CsvSource({ "number, PT2S", "text, PT3M", "iso, PT1.5S", "placeholder, PT7S", "delay,", "cron,", "several,",
			"none," })
	void readsPeriod(String name, @Nullable Duration period) {
		Method method = ReflectionUtils.findMethod(Schedule.class, name);
		assertThat(method).isNotNull();
		assertThat(FixedRateRuns.period(method, (text) -> Map.of("${rate}", "7s").getOrDefault(text, text)))
			.isEqualTo(period);
	}

	static class Schedule {

		@Scheduled(fixedRate = 2, timeUnit = TimeUnit.SECONDS)
		void number() {
		}

		@Scheduled(fixedRateString = "3", timeUnit = TimeUnit.MINUTES)
		void text() {
		}

		@Scheduled(fixedRateString = "PT1.5S")
		void iso() {
		}

		@Scheduled(fixedRateString = "${rate}")
		void placeholder() {
		}

		@Scheduled(fixedDelay = 2)
		void delay() {
		}

		@Scheduled(cron = "0 0 0 * * *")
		void cron() {
		}

		@Scheduled(fixedRate = 2)
		@Scheduled(cron = "0 0 0 * * *")
		void several() {
		}

		void none() {
		}

	}

}
