package io.statestore.listener;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Internal: waits for the end of a start or stop. Not part of the API. */
@FunctionalInterface
public interface Completion {

	/** Completion of a start or stop that has already ended. */
	Completion DONE = (remaining) -> {
	};

	/**
	 * Waits until the start or stop has ended.
	 * @param remaining returns how long to keep waiting, zero once the timeout has passed
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ExecutionException if the start or stop failed
	 * @throws TimeoutException if the start or stop has not ended in time
	 */
	void await(Supplier<Duration> remaining) throws InterruptedException, ExecutionException, TimeoutException;

}
