package io.statestore.broker.server;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.StoreHistory;
import org.jspecify.annotations.Nullable;

/**
 * State machine and command log of a store.
 *
 * @param machine the state machine
 * @param log the command log, not started
 * @param logTime the current log time in nanoseconds
 * @param gap whether the journal has a gap, behind which the content must follow
 * @param history the history, or {@code null} if none is kept
 * @param abandon releases everything if the store is not used
 */
record OpenedStore(StateMachine machine, CommandLog log, long logTime, boolean gap, @Nullable StoreHistory history,
		Runnable abandon) {

	/** Opens a store. */
	@FunctionalInterface
	interface Opener {

		/**
		 * Opens a store.
		 * @param listener receives all changes
		 * @param feed the feed of the journal, or {@code null} for none
		 * @param batchFinished called after the entries of a batch
		 */
		OpenedStore open(ChangeListener listener, @Nullable ChangeFeed feed, Runnable batchFinished);

	}

}
