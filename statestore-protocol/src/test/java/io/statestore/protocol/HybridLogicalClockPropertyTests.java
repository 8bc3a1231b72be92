package io.statestore.protocol;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

/** Properties that hold for every history of a clock (protocol section 4). */
class HybridLogicalClockPropertyTests {

	private static final long START = 1_000_000;

	@Property
	void readingsExceedAllEarlierAndReceivedReadings(@ForAll("histories") List<Step> history) {
		AtomicLong wall = new AtomicLong(START);
		HybridLogicalClock clock = new HybridLogicalClock("me", wall::get);
		Version greatest = new Version(0, 0, "me");
		for (Step step : history) {
			wall.addAndGet(step.wallChange());
			Version received = new Version(wall.get() + step.ahead(), step.counter(), step.nodeId());
			if (receive(clock, received) && received.compareTo(greatest) > 0) {
				greatest = received;
			}
			Version reading = clock.tick();
			assertThat(reading).isGreaterThan(greatest);
			assertThat(reading.nodeId()).isEqualTo("me");
			assertThat(reading.wallMillis()).isGreaterThanOrEqualTo(wall.get());
			greatest = reading;
		}
	}

	@Property
	void refusalLeavesClockUnchanged(@ForAll("histories") List<Step> history) {
		AtomicLong wall = new AtomicLong(START);
		HybridLogicalClock clock = new HybridLogicalClock("me", wall::get);
		HybridLogicalClock neverRefused = new HybridLogicalClock("me", wall::get);
		Version latest = new Version(0, 0, "me");
		for (Step step : history) {
			wall.addAndGet(step.wallChange());
			Version received = new Version(wall.get() + step.ahead(), step.counter(), step.nodeId());
			if (receive(clock, received)) {
				assertThat(step.ahead() <= 60_000 || received.wallMillis() <= latest.wallMillis()).isTrue();
				neverRefused.receive(received);
			}
			else {
				assertThat(step.ahead() > 60_000 || step.counter() == Integer.MAX_VALUE).isTrue();
			}
			latest = clock.tick();
			assertThat(latest).isEqualTo(neverRefused.tick());
		}
	}

	private static boolean receive(HybridLogicalClock clock, Version received) {
		try {
			clock.receive(received);
			return true;
		}
		catch (ProtocolException ex) {
			return false;
		}
	}

	@Provide
	Arbitrary<List<Step>> histories() {
		Arbitrary<Integer> counters = Arbitraries.oneOf(Arbitraries.integers().between(0, 3),
				Arbitraries.integers().between(Integer.MAX_VALUE - 2, Integer.MAX_VALUE));
		Arbitrary<Long> ahead = Arbitraries.oneOf(Arbitraries.longs().between(-3, 3),
				Arbitraries.longs().between(59_998, 60_002));
		return Combinators.combine(Arbitraries.longs().between(-2, 3), ahead, counters, Arbitraries.of("a", "me", "z"))
			.as(Step::new)
			.list()
			.ofMinSize(1)
			.ofMaxSize(40);
	}

	record Step(long wallChange, long ahead, int counter, String nodeId) {
	}

}
