package io.statestore.client.internal;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Observer of the calls of a template. Neither throws nor blocks, and is safe for use by
 * several threads.
 */
public interface CallObserver {

	/** Observes nothing. */
	CallObserver NONE = (command, key, keyCount, write) -> ObservedCall.NONE;

	/**
	 * Starts the observation of a call, on the thread that makes it.
	 * @param command name of the command, such as {@code SET}
	 * @param key key of the command, {@code null} if it has none or several
	 * @param keyCount number of keys, 0 for SCAN
	 * @param write whether the command can change a key
	 * @return the observation, {@link ObservedCall#NONE} if this call is not observed
	 */
	ObservedCall start(String command, @Nullable Bytes key, int keyCount, boolean write);

	/**
	 * Observation of a call, from its start to its end. Safe for use by several threads.
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
		 * @param failure failure of the call, or {@code null} if it has succeeded
		 */
		default void end(@Nullable Throwable failure) {
		}

		/**
		 * Runs an action in the scope in which the call was made.
		 * @param action completes the future of the call
		 */
		default void inScopeOfCaller(Runnable action) {
			action.run();
		}

	}

}
