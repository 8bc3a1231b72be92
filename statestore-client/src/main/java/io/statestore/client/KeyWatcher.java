package io.statestore.client;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Watches keys for a {@link StateStoreTemplate} and delivers unconverted values.
 * Implementations are thread-safe and never block.
 */
public interface KeyWatcher {

	/**
	 * Starts to watch a key.
	 * @param key the key
	 * @param settings what to deliver, and how
	 * @param listener receives the changes
	 * @return the watch, to be closed by the caller
	 * @throws IllegalArgumentException if the key is too long to be watched
	 */
	KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener);

	/**
	 * Starts to watch all keys that match a pattern, including keys that are set later.
	 * @param pattern a pattern as in {@link StateStoreOperations#scan}
	 * @param settings settings that apply to the watch of each key
	 * @param listener receives the changes; they are ordered for each key
	 * @return the watch, to be closed by the caller. Its {@link KeyWatch#key() key} is
	 * the pattern
	 * @throws io.statestore.protocol.ProtocolException if the pattern is malformed
	 * @throws UnsupportedOperationException if this watcher does not support patterns,
	 * the default
	 */
	default KeyWatch watchPattern(Bytes pattern, Settings settings, KeyChangeListener<Bytes> listener) {
		throw new UnsupportedOperationException(getClass().getName() + " cannot watch patterns. Watch single keys");
	}

	/**
	 * Returns an invoker that tracks local writes, for {@link Settings#noLocal()}.
	 * @param invoker sends the commands
	 * @return the tracking invoker
	 */
	CommandInvoker tracking(CommandInvoker invoker);

	/**
	 * Returns a watcher that changes the settings of the watches it starts.
	 * @param customizer converts the requested settings to the settings to use
	 * @return the watcher
	 */
	default KeyWatcher withSettings(UnaryOperator<Settings> customizer) {
		return new CustomizedWatcher(this, Arguments.notNull("customizer", customizer));
	}

	/**
	 * Settings of a watch, collected by {@link WatchSpec}.
	 *
	 * @param id listener's name in logs, also passed to its error handler
	 * @param watchId listener's name in metrics and traces, of low cardinality
	 * @param initial whether to deliver the current value first
	 * @param noLocal whether to omit local writes, those sent with the invoker that
	 * {@link #tracking} returned
	 * @param operations kinds of changes to deliver, at least one
	 * @param errorHandler handles listener failures; {@code null} to log them
	 * @param direct whether the listener never blocks and may run on any thread,
	 * including network threads
	 * @param urgent whether commands of the watch use the capacity that is reserved for
	 * locks
	 * @param stateListener receives the states of the watch; must not block
	 */
	record Settings(String id, String watchId, boolean initial, boolean noLocal, Set<Operation> operations,
			@Nullable KeyChangeErrorHandler errorHandler, boolean direct, boolean urgent,
			Consumer<KeyWatch.State> stateListener) {

		/** Watch id of listeners registered without an id. */
		public static final String NO_ID = "none";

		/**
		 * Creates settings.
		 * @throws IllegalArgumentException if the set of operations is empty
		 */
		public Settings {
			Arguments.require(!operations.isEmpty(), "'operations' must not be empty: nothing would be delivered");
			operations = Set.copyOf(operations);
		}

		/**
		 * Returns a copy for a listener that never blocks, for example a state machine.
		 * The listener is called on the thread that receives the change, usually a
		 * network thread. The connection receives nothing while the listener runs.
		 * @return the copy
		 */
		public Settings asDirect() {
			return new Settings(this.id, this.watchId, this.initial, this.noLocal, this.operations, this.errorHandler,
					true, this.urgent, this.stateListener);
		}

		/**
		 * Returns a copy whose commands use the capacity that is reserved for locks.
		 * @return the copy
		 */
		public Settings asUrgent() {
			return new Settings(this.id, this.watchId, this.initial, this.noLocal, this.operations, this.errorHandler,
					this.direct, true, this.stateListener);
		}

		Settings withErrorHandler(KeyChangeErrorHandler errorHandler) {
			return new Settings(this.id, this.watchId, this.initial, this.noLocal, this.operations, errorHandler,
					this.direct, this.urgent, this.stateListener);
		}

		/**
		 * Creates settings for a listener that may block.
		 * @param id listener's name in logs and metrics
		 * @param initial whether to deliver the current value first
		 * @param noLocal whether to omit local writes
		 * @param operations kinds of changes to deliver, at least one
		 * @param errorHandler handles listener failures; {@code null} to log them
		 */
		public Settings(String id, boolean initial, boolean noLocal, Set<Operation> operations,
				@Nullable KeyChangeErrorHandler errorHandler) {
			this(id, id, initial, noLocal, operations, errorHandler, false, false, (state) -> {
			});
		}

	}

}
