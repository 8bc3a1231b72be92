package io.statestore.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.statestore.time.TimeSource;

/** Waits for call futures. */
final class Await {

	private Await() {
	}

	/**
	 * Throws if the calling thread is interrupted, because it could not wait for the
	 * reply.
	 */
	static void requireNotInterrupted(Supplier<String> call) {
		if (Thread.currentThread().isInterrupted()) {
			throw new StateStoreNotSentException(
					call.get() + " was not sent because the calling thread is interrupted");
		}
	}

	/**
	 * Waits for a future and returns its result. An interrupt cancels the future.
	 * @param time clock that the wait uses
	 * @param call returns the call's description for error messages
	 * @throws StateStoreException of the same type as the future's failure, with the
	 * caller's stack trace
	 */
	static <T> T result(CompletableFuture<T> future, TimeSource time, Supplier<String> call) {
		try {
			return time.get(future, null);
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			Thread.currentThread().interrupt();
			throw new StateStoreOutcomeUnknownException("Interrupted while waiting for the reply to " + call.get()
					+ ". The store may have executed the command; read the key to find out", ex);
		}
		catch (ExecutionException ex) {
			throw atCaller(failure(ex, call));
		}
		catch (CancellationException | TimeoutException ex) {
			throw failure(ex, call);
		}
	}

	/**
	 * Returns a call's failure, unwrapped from the exceptions that futures add.
	 * @param call returns the call's description for error messages
	 */
	static StateStoreException failure(Throwable failure, Supplier<String> call) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof StateStoreException expected) ? expected : new StateStoreOutcomeUnknownException(
				call.get() + " failed unexpectedly (" + cause.getClass().getName() + ")", cause);
	}

	/**
	 * Returns a copy of a failure with the caller's stack trace. The original was created
	 * on another thread, and several callers may share it. An exception of an unknown
	 * type is returned unchanged.
	 */
	static StateStoreException atCaller(StateStoreException failure) {
		String message = String.valueOf(failure.getMessage());
		Class<?> type = failure.getClass();
		if (type == StateStoreNotSentException.class) {
			return new StateStoreNotSentException(message, failure);
		}
		if (type == StateStoreInvalidRequestException.class) {
			return new StateStoreInvalidRequestException(message, failure);
		}
		if (type == StateStoreOutcomeUnknownException.class) {
			return new StateStoreOutcomeUnknownException(message, failure);
		}
		if (failure instanceof StateStoreRefusedException refused) {
			StateStoreException copy = (refused instanceof StateStoreNotAuthorizedException denied)
					? new StateStoreNotAuthorizedException(message, denied.key())
					: StateStoreRefusedException.of(refused.reason(), message);
			copy.initCause(failure);
			return copy;
		}
		return (type == StateStoreException.class) ? new StateStoreException(message, failure) : failure;
	}

}
