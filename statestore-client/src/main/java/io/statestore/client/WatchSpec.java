package io.statestore.client;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Options of a watch: {@code watch(key, type, spec -> spec.initial(), listener)}. By
 * default, every change from now on is delivered, including local writes.
 * <p>
 * An instance can be used only by the function it is passed to, and only until that
 * function returns. Not thread-safe.
 */
public final class WatchSpec {

	private String id = "";

	private boolean initial;

	private boolean noLocal;

	private Set<Operation> operations = EnumSet.allOf(Operation.class);

	private @Nullable KeyChangeErrorHandler errorHandler;

	private Consumer<KeyWatch.State> stateListener = (state) -> {
	};

	WatchSpec() {
	}

	/**
	 * Sets the id of the listener in logs and metrics. By default, logs show the key, and
	 * metrics and traces show {@code none}, because keys may be many.
	 * @param id the id
	 * @return these options
	 */
	public WatchSpec id(String id) {
		this.id = Arguments.notNull("id", id);
		return this;
	}

	/**
	 * Delivers the current value first, if there is one, marked as resynchronized.
	 * @return these options
	 */
	public WatchSpec initial() {
		this.initial = true;
		return this;
	}

	/**
	 * Omits local writes: changes written through any template of the same connection.
	 * While a local write waits for its reply, the changes of its key wait too. If the
	 * reply never arrives, the change is delivered.
	 * @return these options
	 */
	public WatchSpec noLocal() {
		this.noLocal = true;
		return this;
	}

	/**
	 * Delivers only these kinds of changes.
	 * @param operations kinds of changes, at least one
	 * @return these options
	 * @throws IllegalArgumentException if there are no operations
	 */
	public WatchSpec only(Operation... operations) {
		Arguments.require(operations.length > 0, "'operations' must not be empty: nothing would be delivered");
		this.operations = Set.of(operations);
		return this;
	}

	/**
	 * Sets the handler of exceptions thrown by the listener. By default they are logged.
	 * @param errorHandler the handler
	 * @return these options
	 */
	public WatchSpec onError(KeyChangeErrorHandler errorHandler) {
		this.errorHandler = Arguments.notNull("errorHandler", errorHandler);
		return this;
	}

	/**
	 * Sets a listener for the state of the watch, called in order with the changes of the
	 * key. It runs on the thread that detects the new state, usually a network thread, so
	 * it must not block.
	 * @param listener receives each new state
	 * @return these options
	 */
	public WatchSpec onState(Consumer<KeyWatch.State> listener) {
		this.stateListener = Arguments.notNull("listener", listener);
		return this;
	}

	Settings toSettings(Key key) {
		boolean named = !this.id.isEmpty();
		return new Settings(named ? this.id : key.toString(), named ? this.id : Settings.NO_ID, this.initial,
				this.noLocal, this.operations, this.errorHandler, false, false, this.stateListener);
	}

}
