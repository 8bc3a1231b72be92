package io.statestore.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.statestore.time.TimeSource;

/** Waits for the futures of calls. */
final class Await {

	private Await() {
	}

	/**
	 * Fails if the calling thread is interrupted: it could not wait for the reply.
	 */
	static void requireNotInterrupted(Supplier<String> call) {
		if (Thread.currentThread().isInterrupted()) {
			throw new StateStoreNotSentException(
					call.get() + " was not sent because the calling thread is interrupted");
		}
	}

	/**
	 * Waits for a future and returns its result. An interrupt cancels the future.
	 * @param time time by which the thread waits
	 * @param call names the call in messages
	 * @throws StateStoreException of the same type as the failure of the future, with the
	 * stack trace of the caller
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
	 * Returns the failure of a call, without the exceptions that futures wrap it in.
	 * @param call names the call in messages
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
	 * Returns a copy of a failure with the stack trace of the caller. The original was
	 * created on another thread, possibly for several callers. An exception of an unknown
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
