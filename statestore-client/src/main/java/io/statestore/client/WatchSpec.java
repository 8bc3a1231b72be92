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
	 * Sets the listener's id in logs, metrics, and traces. By default, logs show the key.
	 * Metrics and traces show {@code none}, because there may be many keys.
	 * @param id the id
	 * @return these options
	 */
	public WatchSpec id(String id) {
		this.id = Arguments.notNull("id", id);
		return this;
	}

	/**
	 * Delivers the current value first, if any, marked as resynchronized.
	 * @return these options
	 */
	public WatchSpec initial() {
		this.initial = true;
		return this;
	}

	/**
	 * Omits local writes, which are changes written through a template that has the same
	 * connection and the same {@link io.statestore.client.watch.KeyWatches}. While a
	 * local write waits for its reply, its key's changes wait, too. If the reply never
	 * arrives, the change is delivered.
	 * @return these options
	 */
	public WatchSpec noLocal() {
		this.noLocal = true;
		return this;
	}

	/**
	 * Delivers only the given kinds of changes.
	 * @param operations kinds of changes to deliver, at least one
	 * @return these options
	 * @throws IllegalArgumentException if there are no operations
	 */
	public WatchSpec only(Operation... operations) {
		Arguments.require(operations.length > 0, "'operations' must not be empty: nothing would be delivered");
		this.operations = Set.of(operations);
		return this;
	}

	/**
	 * Sets the handler for failures of the listener or the value conversion. By default,
	 * failures are logged.
	 * @param errorHandler the handler
	 * @return these options
	 */
	public WatchSpec onError(KeyChangeErrorHandler errorHandler) {
		this.errorHandler = Arguments.notNull("errorHandler", errorHandler);
		return this;
	}

	/**
	 * Sets a listener for the watch's state, called in order with the key's changes. It
	 * runs on the thread that detects the new state, usually a network thread, so it must
	 * not block.
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
