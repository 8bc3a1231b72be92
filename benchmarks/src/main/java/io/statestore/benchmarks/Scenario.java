package io.statestore.benchmarks;

import java.util.List;

/**
 * A measurement to run with several implementations.
 *
 * @param name name in the report
 * @param unit unit of the results, such as us or 1/s
 * @param implementations implementations to compare. The first is ours; ratios divide its
 * result by that of each other implementation
 * @param goals goals for ratios of these implementations
 */
public record Scenario(String name, String unit, List<Implementation.Factory> implementations, List<Goal> goals) {

	public Scenario(String name, String unit, List<Implementation.Factory> implementations) {
		this(name, unit, implementations, List.of());
	}

}
