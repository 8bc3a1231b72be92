/**
 * Measurements beside the peers. {@code Benchmarks} runs them, {@code Scenario} says what
 * is measured, {@code Contestant} who is.
 */
@NullMarked
package io.statestore.benchmarks;

import org.jspecify.annotations.NullMarked;
