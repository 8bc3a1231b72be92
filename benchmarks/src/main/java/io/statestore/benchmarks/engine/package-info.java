/** Measurements of the engine without a network: time, by JMH, and memory per key. */
@NullMarked
package io.statestore.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
