/** The engine alone, without a network: JMH, and the memory that a key takes. */
@NullMarked
package io.statestore.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
