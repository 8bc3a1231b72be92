package io.statestore.client.watch;

import java.util.stream.Stream;

import io.statestore.client.watch.WatchSimulation.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Random schedules. The message names the seed of a failure, which fails again. */
class NearCacheSimulationTests {

	private static final int SEEDS = Integer.getInteger("simulation.seeds", 20);

	private static final int MORE_SEEDS = 9 * SEEDS;

	static Stream<Fault> faults() {
		return NearCacheSimulation.FAULTS.stream();
	}

	@ParameterizedTest
	@MethodSource("faults")
	void neverReadsValueOlderThanReported(Fault fault) {
		run(fault, 0, SEEDS);
	}

	@ParameterizedTest
	@MethodSource("faults")
	@Tag("long")
	void neverReadsOlderValueInManySchedules(Fault fault) {
		run(fault, SEEDS, SEEDS + MORE_SEEDS);
	}

	private static void run(Fault fault, int firstSeed, int endSeed) {
		int nearReads = 0;
		for (long seed = firstSeed; seed < endSeed; seed++) {
			nearReads += new NearCacheSimulation(seed, fault).run();
		}
		assertThat(nearReads).isGreaterThan(endSeed - firstSeed);
	}

}
