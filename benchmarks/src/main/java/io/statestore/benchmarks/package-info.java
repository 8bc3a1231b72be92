/**
 * Comparison with other implementations. {@code Benchmarks} runs each {@code Scenario} on
 * each {@code Peer}.
 */
@NullMarked
package io.statestore.benchmarks;

import org.jspecify.annotations.NullMarked;
