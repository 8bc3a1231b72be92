package io.statestore.client;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObserver.Settings;
import org.jspecify.annotations.Nullable;

/**
 * How a key is observed: {@code observe(key, type, spec -> spec.initial(), listener)}.
 * Without any of these every change from now on is delivered, whoever made it.
 * <p>
 * Use it within the call it was given to, on the thread of that call.
 */
public final class ObserveSpec {

	private String id = "";

	private boolean initial;

	private boolean ignoreOwn;

	private Set<Operation> operations = EnumSet.allOf(Operation.class);

	private @Nullable KeyChangeErrorHandler errorHandler;

	private boolean direct;

	private Consumer<KeyObservation.State> stateListener = (state) -> {
	};

	ObserveSpec() {
	}

	/** What logs and metrics call this listener; the key if it is not set. */
	public ObserveSpec id(String id) {
		this.id = Arguments.notNull("id", id);
		return this;
	}

	/**
	 * Call once with the current value before all changes, if there is one. The call is
	 * marked as resynchronised, because earlier changes are not delivered.
	 */
	public ObserveSpec initial() {
		this.initial = true;
		return this;
	}

	/**
	 * Leave out what is written through the same template, and every template of the same
	 * connection. While such a write waits for its reply, changes of the key wait too; if
	 * the reply never comes, the change is delivered.
	 */
	public ObserveSpec ignoreOwn() {
		this.ignoreOwn = true;
		return this;
	}

	/** Deliver only these kinds of changes. */
	public ObserveSpec only(Operation... operations) {
		Arguments.require(operations.length > 0, "'operations' must not be empty: nothing would be delivered");
		this.operations = Set.of(operations);
		return this;
	}

	/** Who is told of changes that the listener did not take; a log by default. */
	public ObserveSpec onError(KeyChangeErrorHandler errorHandler) {
		this.errorHandler = Arguments.notNull("errorHandler", errorHandler);
		return this;
	}

	/**
	 * Call the listener, and complete {@link KeyObservation#started()}, on the thread
	 * that brings the change, most often a network thread: no thread stands between the
	 * store and the listener. Only for code that never blocks, such as a state machine:
	 * while it runs nothing arrives for anybody.
	 */
	public ObserveSpec direct() {
		this.direct = true;
		return this;
	}

	/**
	 * Notifies a listener whenever the observation becomes active, is interrupted, or is
	 * refused, in order with the changes of the key. It is called on the thread that
	 * brings the news, most often a network thread, so it must not block.
	 * @param listener receives each new state
	 * @return this specification
	 */
	public ObserveSpec onState(Consumer<KeyObservation.State> listener) {
		this.stateListener = Arguments.notNull("listener", listener);
		return this;
	}

	Settings toSettings(Key key) {
		return new Settings(this.id.isEmpty() ? key.toString() : this.id, this.initial, this.ignoreOwn, this.operations,
				this.errorHandler, this.direct, this.stateListener);
	}

}
