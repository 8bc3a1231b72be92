package io.statestore.client;

import java.util.Set;
import java.util.function.Consumer;

import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Observes keys for {@link StateStoreTemplate}, with values as the store has them. Safe
 * for use by several threads; never blocks.
 */
public interface KeyObserver {

	/**
	 * Begins to observe a key.
	 * @throws IllegalArgumentException if the key is too long to be observed
	 */
	KeyObservation observe(Key key, Settings settings, KeyChangeListener<Bytes> listener);

	/**
	 * Returns an invoker that also tracks writes, so that {@link Settings#ignoreOwn()}
	 * can recognize them.
	 */
	CommandInvoker tracking(CommandInvoker invoker);

	/**
	 * Settings of an observation, collected by {@link ObserveSpec}.
	 *
	 * @param id for logs and metrics
	 * @param initial whether to begin with the current value
	 * @param ignoreOwn whether to leave out what was written through {@link #tracking}
	 * @param operations what to deliver, not empty
	 * @param errorHandler receives failures, {@code null} for a log
	 * @param direct whether the listener never blocks and may run on any thread, a
	 * network thread included
	 * @param stateListener receives the states of the observation, and never blocks
	 */
	record Settings(String id, boolean initial, boolean ignoreOwn, Set<Operation> operations,
			@Nullable KeyChangeErrorHandler errorHandler, boolean direct,
			Consumer<KeyObservation.State> stateListener) {

		public Settings {
			Arguments.require(!operations.isEmpty(), "'operations' must not be empty: nothing would be delivered");
			operations = Set.copyOf(operations);
		}

		/**
		 * Returns the same settings for a listener that never blocks, such as a state
		 * machine. It is called on the thread that receives the change, most often a
		 * network thread. While it runs, the connection receives nothing.
		 * @return these settings, marked as direct
		 */
		public Settings asDirect() {
			return new Settings(this.id, this.initial, this.ignoreOwn, this.operations, this.errorHandler, true,
					this.stateListener);
		}

		/** For a listener that may block. */
		public Settings(String id, boolean initial, boolean ignoreOwn, Set<Operation> operations,
				@Nullable KeyChangeErrorHandler errorHandler) {
			this(id, initial, ignoreOwn, operations, errorHandler, false);
		}

		/** Settings without a listener for the state. */
		public Settings(String id, boolean initial, boolean ignoreOwn, Set<Operation> operations,
				@Nullable KeyChangeErrorHandler errorHandler, boolean direct) {
			this(id, initial, ignoreOwn, operations, errorHandler, direct, (state) -> {
			});
		}

	}

}
