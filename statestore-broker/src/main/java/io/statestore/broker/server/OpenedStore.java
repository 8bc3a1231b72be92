package io.statestore.broker.server;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.StoreHistory;
import org.jspecify.annotations.Nullable;

/**
 * State machine and command log of a store.
 *
 * @param machine the state machine
 * @param log the command log, not started
 * @param logTime the current log time in nanoseconds
 * @param history the history, or {@code null} if none is kept
 * @param abandon releases everything if the store is not used
 */
record OpenedStore(StateMachine machine, CommandLog log, long logTime, @Nullable StoreHistory history,
		Runnable abandon) {

}
