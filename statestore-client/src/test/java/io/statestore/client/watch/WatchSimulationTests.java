package io.statestore.client.watch;

import io.statestore.client.watch.WatchSimulation.Fault;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random schedules. The message names the seed of a failure, which fails again. */
@Tag("long")
class WatchSimulationTests {

	private static final int SEEDS = Integer.getInteger("simulation.seeds", 400);

	@ParameterizedTest
	@EnumSource
	void listenersEndWithStoreState(Fault fault) {
		for (long seed = 0; seed < SEEDS; seed++) {
			new WatchSimulation(seed, fault).run();
		}
	}

}
