/**
 * The state store as a single-threaded state machine that turns entries of the command
 * log into answers and changes. It has no transport, threads, or clocks. Start reading at
 * {@link io.statestore.broker.engine.StateMachine}.
 */
@NullMarked
package io.statestore.broker.engine;

import org.jspecify.annotations.NullMarked;
