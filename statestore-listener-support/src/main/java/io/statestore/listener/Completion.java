package io.statestore.listener;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Internal: the end of a start or stop. Not part of the API. */
@FunctionalInterface
public interface Completion {

	/** Completion of a start or stop that has already ended. */
	Completion DONE = (deadline) -> {
	};

	/**
	 * Waits until the start or stop has ended.
	 * @param deadline end of the wait
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ExecutionException if it failed
	 * @throws TimeoutException if it has not ended by the deadline
	 */
	void await(Deadline deadline) throws InterruptedException, ExecutionException, TimeoutException;

}
