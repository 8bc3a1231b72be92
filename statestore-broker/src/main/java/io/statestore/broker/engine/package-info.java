/**
 * The state store as a single-threaded state machine that turns requests into replies and
 * changes, without transport, threads, or a clock of its own. Start reading at
 * {@link io.statestore.broker.engine.StateStoreEngine}.
 */
@NullMarked
package io.statestore.broker.engine;

import org.jspecify.annotations.NullMarked;
