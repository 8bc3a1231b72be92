/**
 * Comparison with other implementations. {@code Benchmarks} runs each {@code Scenario}
 * with each {@code Peer}.
 */
@NullMarked
package io.statestore.benchmarks;

import org.jspecify.annotations.NullMarked;
