package io.statestore.client.internal;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Observes a template's calls. Implementations neither throw nor block, and are
 * thread-safe.
 */
public interface CallObserver {

	/** Observes nothing. */
	CallObserver NONE = (command, key, keyCount, write) -> ObservedCall.NONE;

	/**
	 * Starts observing a call, on the thread that makes it.
	 * @param command name of the command, such as {@code SET}
	 * @param key the command's key, {@code null} if the command does not have exactly one
	 * key
	 * @param keyCount number of keys, 0 for SCAN
	 * @param write whether the command can change a key
	 * @return the observation, or {@link ObservedCall#NONE} to not observe this call
	 */
	ObservedCall start(String command, @Nullable Bytes key, int keyCount, boolean write);

	/**
	 * Observation of a call, from its start to its end. Thread-safe.
	 */
	interface ObservedCall {

		/** A call that is not observed. */
		ObservedCall NONE = new ObservedCall() {
		};

		/**
		 * Returns the trace context to send.
		 * @return the trace context of a write, empty for other commands
		 */
		default TraceContext traceContext() {
			return TraceContext.EMPTY;
		}

		/**
		 * Ends the observation. Only the first call of this method has an effect.
		 * @param failure the call's failure, {@code null} if it succeeded
		 */
		default void end(@Nullable Throwable failure) {
		}

		/**
		 * Runs an action in the scope in which the call was made.
		 * @param action completes the call's future
		 */
		default void inScopeOfCaller(Runnable action) {
			action.run();
		}

	}

}
