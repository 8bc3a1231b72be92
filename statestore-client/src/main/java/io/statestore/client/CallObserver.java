package io.statestore.client;

import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Server;
import org.jspecify.annotations.Nullable;

/**
 * Observer of the calls of a template. Implementations must neither throw nor block, and
 * must be safe for use by several threads.
 */
public interface CallObserver {

	/** Observes nothing. */
	CallObserver NONE = new CallObserver() {

		@Override
		public boolean isEnabled() {
			return false;
		}

		@Override
		public ObservedCall start(Call call) {
			return ObservedCall.NONE;
		}

	};

	/**
	 * Returns whether calls are observed now. Otherwise, {@link #start} is not called.
	 * @return whether calls are observed
	 */
	boolean isEnabled();

	/**
	 * Starts the observation of a call, on the thread that makes it.
	 * @param call the call
	 * @return the observation, {@link ObservedCall#NONE} if this call is not observed
	 */
	ObservedCall start(Call call);

	/**
	 * A call that is about to be made.
	 *
	 * @param command name of the command, such as {@code SET}
	 * @param key key of the command, {@code null} if it has none or several
	 * @param keyCount number of keys, 0 for SCAN
	 * @param write whether the command can change a key
	 * @param server the broker, or {@code null} if unknown
	 */
	record Call(String command, @Nullable Key key, int keyCount, boolean write, @Nullable Server server) {
	}

	/**
	 * Observation of a call, from its start to its end. Safe for use by several threads.
	 */
	interface ObservedCall {

		/** A call that is not observed. */
		ObservedCall NONE = new ObservedCall() {
		};

		/**
		 * Returns options that pass the trace context on, if the call is a write.
		 * @param options options of the call
		 * @return the options to use
		 */
		default Options options(Options options) {
			return options;
		}

		/**
		 * Ends the observation. Only the first call of this method has an effect.
		 * @param failure failure of the call, or {@code null} if it has succeeded
		 */
		default void end(@Nullable Throwable failure) {
		}

		/**
		 * Completes a future, whose continuations run in the scope of the caller.
		 * @param <R> the type of the result
		 * @param future the future
		 * @param result its result
		 */
		default <R> void complete(CompletableFuture<R> future, R result) {
			future.complete(result);
		}

		/**
		 * Fails a future, whose continuations run in the scope of the caller.
		 * @param future the future
		 * @param failure its failure
		 */
		default void fail(CompletableFuture<?> future, Throwable failure) {
			future.completeExceptionally(failure);
		}

	}

}
