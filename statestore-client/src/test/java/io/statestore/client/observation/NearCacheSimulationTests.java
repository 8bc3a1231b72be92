package io.statestore.client.observation;

import java.util.stream.Stream;

import io.statestore.client.observation.ObservationSimulation.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Random schedules. The message names the seed of a failure, which fails again. */
class NearCacheSimulationTests {

	private static final int SEEDS = Integer.getInteger("simulation.seeds", 40);

	static Stream<Fault> faults() {
		return NearCacheSimulation.FAULTS.stream();
	}

	@ParameterizedTest
	@MethodSource("faults")
	void neverReadsValueOlderThanReported(Fault fault) {
		int nearReads = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			nearReads += new NearCacheSimulation(seed, fault).run();
		}
		assertThat(nearReads).isGreaterThan(SEEDS);
	}

}
