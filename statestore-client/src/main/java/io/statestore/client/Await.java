package io.statestore.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Turns futures into blocking calls. */
final class Await {

	private Await() {
	}

	/**
	 * Fails if the calling thread is interrupted, because it would not wait for the
	 * reply.
	 */
	static void requireNotInterrupted(String what) {
		if (Thread.currentThread().isInterrupted()) {
			throw new StateStoreNotSentException(what + " was not sent because the calling thread is interrupted");
		}
	}

	/**
	 * Waits for a future.
	 * @param what names the call in messages
	 * @return the result of the future
	 * @throws StateStoreException of the type the future failed with, with the stack
	 * trace of the caller
	 */
	static <T> T result(CompletableFuture<T> future, String what) {
		try {
			return future.get();
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			Thread.currentThread().interrupt();
			throw new StateStoreOutcomeUnknownException("Interrupted while waiting for the reply to " + what
					+ ". It may or may not have happened; read the key to find out", ex);
		}
		catch (ExecutionException ex) {
			throw atCaller(failure(ex, what));
		}
		catch (CancellationException ex) {
			throw failure(ex, what);
		}
	}

	/** Returns the reason of a failed call, without the wrapping of futures. */
	static StateStoreException failure(Throwable failure, String what) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof StateStoreException expected) ? expected : new StateStoreOutcomeUnknownException(
				what + " failed unexpectedly (" + cause.getClass().getName() + ")", cause);
	}

	/**
	 * The same failure once more, because the original was made on another thread,
	 * perhaps for several callers. Types from elsewhere stay themselves.
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
			StateStoreException copy = StateStoreRefusedException.of(refused.reason(), message);
			copy.initCause(failure);
			return copy;
		}
		return (type == StateStoreException.class) ? new StateStoreException(message, failure) : failure;
	}

}
