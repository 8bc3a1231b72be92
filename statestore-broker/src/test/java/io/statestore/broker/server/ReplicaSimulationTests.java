package io.statestore.broker.server;

import java.util.List;

import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random failures of a simulated consensus: lost and delayed proposals, leadership
 * changes that the earlier leader learns of late, snapshots, restarts, clocks that jump,
 * logs whose end is damaged, and exceptions in the state machine.
 */
class ReplicaSimulationTests {

	@Test
	void repliesAreLinearizable() {
		run(40);
	}

	@Test
	@Tag("long")
	@Tag("nightly")
	void repliesAreLinearizableWithManySeeds() {
		run(Integer.getInteger("test.seeds", 100_000));
	}

	@Test
	void machineExceptionEndsEachNode() {
		for (long seed = 0; seed < 5; seed++) {
			try (ReplicaSimulation simulation = new ReplicaSimulation(seed)) {
				assertThat(LinearizabilityChecker.check(simulation.runToException())).as("seed %s", seed).isEmpty();
			}
			catch (RuntimeException | AssertionError ex) {
				throw new AssertionError("Failed with seed " + seed, ex);
			}
		}
	}

	private static void run(int seeds) {
		long first = Long.getLong("test.seed", 0);
		int failovers = 0;
		int resent = 0;
		int published = 0;
		int refusedLogs = 0;
		for (long seed = first; seed < first + seeds; seed++) {
			try (ReplicaSimulation simulation = new ReplicaSimulation(seed)) {
				List<Operation> history = simulation.run();
				assertThat(LinearizabilityChecker.check(history)).as("seed %s: %s", seed, history).isEmpty();
				assertThat(simulation.versions()).as("seed %s", seed).doesNotHaveDuplicates();
				failovers += simulation.failovers();
				resent += simulation.resent();
				published += simulation.published();
				refusedLogs += simulation.refusedLogs();
			}
			catch (RuntimeException | AssertionError ex) {
				throw new AssertionError("Failed with -Dtest.seed=" + seed, ex);
			}
		}
		assertThat(failovers).as("changes of leadership").isGreaterThan(seeds);
		assertThat(resent).as("requests sent again").isGreaterThan(seeds / 10);
		assertThat(published).as("acknowledged messages").isGreaterThan(2 * seeds);
		assertThat(refusedLogs).as("refused logs").isGreaterThan(seeds / 10);
	}

}
