package io.statestore.broker.server;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.StoreHistory;
import org.jspecify.annotations.Nullable;

/**
 * An opened store: its state machine, command log, and history.
 *
 * @param machine the state machine
 * @param log the command log, which is not started yet
 * @param logTime the current log time in nanoseconds
 * @param history the history, or {@code null} if none is kept
 * @param abandon releases all resources if the store is not used
 */
record OpenedStore(StateMachine machine, CommandLog log, long logTime, @Nullable StoreHistory history,
		Runnable abandon) {

}
