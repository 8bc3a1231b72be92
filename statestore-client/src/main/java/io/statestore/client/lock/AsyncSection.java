package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Section under a lock that lasts until a future completes.
 *
 * @param <T> type of the result
 */
final class AsyncSection<T> {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final Tenure tenure;

	private final Executor replies;

	AsyncSection(Tenure tenure, LockContext context) {
		this.tenure = tenure;
		this.replies = context.replies();
	}

	/** Runs the section, and releases the lock after it. */
	<E extends Exception> CompletableFuture<T> run(FencedLock.Callback<? extends CompletionStage<T>, E> callback)
			throws E {
		try {
			CompletionStage<T> work = this.tenure.call(() -> callback.call(this.tenure));
			// Not when the result is canceled, because that does not stop the work.
			work.whenComplete(this::ended);
		}
		catch (Throwable ex) {
			release();
			throw ex;
		}
		return this.result;
	}

	private void ended(T value, @Nullable Throwable failure) {
		// Continuations of the result may block. They must delay neither replies nor
		// reports of losses.
		release().whenCompleteAsync((held, releaseFailure) -> complete(value, failure, Boolean.TRUE.equals(held)),
				this.replies);
	}

	private CompletableFuture<Boolean> release() {
		return this.tenure.lease().release(Duration.ZERO);
	}

	private void complete(T value, @Nullable Throwable failure, boolean held) {
		if (failure == null && held) {
			this.result.complete(value);
			return;
		}
		LockLostException loss = new LockLostException(this.tenure.lease().status().lossOrEnd());
		if (failure == null) {
			this.result.completeExceptionally(loss);
			return;
		}
		Throwable cause = failure.getCause();
		Throwable thrown = (failure instanceof CompletionException && cause != null) ? cause : failure;
		if (!held) {
			thrown.addSuppressed(loss);
		}
		this.result.completeExceptionally(thrown);
	}

}
