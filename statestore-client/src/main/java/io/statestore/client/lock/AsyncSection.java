package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Section under a lock that lasts until a future completes.
 *
 * @param <T> type of the result
 */
final class AsyncSection<T> {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final Tenure tenure;

	private final CurrentTenure currentTenure;

	AsyncSection(Tenure tenure, CurrentTenure currentTenure) {
		this.tenure = tenure;
		this.currentTenure = currentTenure;
	}

	/** Runs the section, and releases the lock after it. */
	<E extends Exception> CompletableFuture<T> run(FencedLock.Callback<? extends CompletionStage<T>, E> callback)
			throws E {
		CompletableFuture<T> work;
		try {
			CompletionStage<T> stage = this.currentTenure.call(this.tenure, () -> callback.call(this.tenure));
			work = stage.toCompletableFuture();
		}
		catch (Throwable ex) {
			release();
			throw ex;
		}
		// Continuations of the result may block, so they do not run on a network thread.
		work.whenComplete((value, failure) -> release().whenCompleteAsync(
				(held, releaseFailure) -> complete(value, failure, Boolean.TRUE.equals(held)),
				this.tenure.callbacks()));
		this.result.whenComplete((value, failure) -> {
			if (this.result.isCancelled()) {
				work.cancel(true);
			}
		});
		return this.result;
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
