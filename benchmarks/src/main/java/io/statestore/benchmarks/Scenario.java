package io.statestore.benchmarks;

import java.util.List;

/**
 * A measurement to run with several implementations.
 *
 * @param name name in the report
 * @param unit unit of the results, such as us or 1/s
 * @param peers implementations to compare, without those that are not installed. The
 * first is ours; ratios divide its result by each other implementation's result
 * @param goals goals for ratios between these implementations
 * @param rounds number of rounds, 0 for the suite's default
 */
record Scenario(String name, String unit, List<Peer> peers, List<Goal> goals, int rounds) {

	Scenario {
		peers = peers.stream().filter(Peer::installed).toList();
	}

	Scenario(String name, String unit, List<Peer> peers, Goal... goals) {
		this(name, unit, peers, List.of(goals), 0);
	}

}
