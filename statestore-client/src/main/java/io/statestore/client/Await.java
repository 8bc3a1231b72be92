package io.statestore.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Turns futures into blocking calls. */
final class Await {

	private Await() {
	}

	/** Nothing is sent by a thread that would not wait for the reply. */
	static void requireNotInterrupted(Call<?> call) {
		if (Thread.currentThread().isInterrupted()) {
			throw new StateStoreNotSentException(
					call.description() + " was not sent because the calling thread is interrupted");
		}
	}

	/**
	 * The result of a future.
	 * @throws StateStoreException of the type the future failed with, with the stack
	 * trace of the caller
	 */
	static <T> T result(CompletableFuture<T> future, Call<?> call) {
		try {
			return future.get();
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			Thread.currentThread().interrupt();
			throw new StateStoreOutcomeUnknownException("Interrupted while waiting for the reply to "
					+ call.description() + ". It may or may not have happened; read the key to find out", ex);
		}
		catch (ExecutionException ex) {
			throw atCaller(failure(ex, call));
		}
		catch (CancellationException ex) {
			throw failure(ex, call);
		}
	}

	/** Why a call failed, without the wrapping of futures. */
	static StateStoreException failure(Throwable failure, Call<?> call) {
		return failure(failure, call.description());
	}

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
