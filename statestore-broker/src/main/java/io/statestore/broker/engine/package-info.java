/**
 * The state store as a single-threaded state machine, without a transport, threads, or a
 * clock of its own. {@link io.statestore.broker.engine.StateStoreEngine} is its entry
 * point.
 */
@NullMarked
package io.statestore.broker.engine;

import org.jspecify.annotations.NullMarked;
