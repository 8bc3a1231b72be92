package io.statestore.benchmarks;

import java.util.List;

/**
 * What is measured. The first contestant is ours; ratios are ours over each of the
 * others.
 *
 * @param unit such as us or 1/s
 */
public record Scenario(String name, String unit, List<Contestant.Factory> contestants) {
}
