package io.statestore.broker.engine;

import org.jspecify.annotations.Nullable;

/** Receives the locks of a page, see {@link StateMachine#locks}. */
@FunctionalInterface
public interface LockVisitor {

	/**
	 * Called for each lock, in no particular order.
	 * @param lock the state of the lock
	 * @param successor its successor lock, or {@code null} if the successor lock is free
	 * @return the size of the lock in the answer, in bytes
	 */
	int visit(LockState lock, @Nullable LockState successor);

}
