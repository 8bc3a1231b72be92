/**
 * The state store itself: a single-threaded state machine that turns requests into
 * replies and changes. It knows no transport, no threads and no clock of its own; start
 * reading at {@link io.statestore.broker.engine.StateStoreEngine}.
 */
@NullMarked
package io.statestore.broker.engine;

import org.jspecify.annotations.NullMarked;
