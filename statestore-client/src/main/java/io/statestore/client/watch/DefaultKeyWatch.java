package io.statestore.client.watch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.statestore.client.Key;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** Watch of one key by one listener, as the application sees it. */
final class DefaultKeyWatch implements KeyWatch {

	/**
	 * Outcome of the start, completed on the thread that receives it. It has no
	 * continuations of the application, which would run on that thread.
	 */
	private final CompletableFuture<Void> outcome = new CompletableFuture<>();

	/** Completed on the threads of the listeners once there is an outcome. */
	private final CompletableFuture<Void> published = new CompletableFuture<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	/** State that the listener was notified of last. */
	private final AtomicReference<State> state = new AtomicReference<>(State.INTERRUPTED);

	/** Whether this listener has started; the key may have been active before. */
	private volatile boolean begun;

	private final Settings settings;

	private final WatchedKey watched;

	private final DeliveryQueue queue;

	private final AttachedListener listener;

	private final BooleanSupplier connection;

	private final TimeSource time;

	/**
	 * Creates a watch that is still to be attached.
	 * @param connection returns whether there is a connection
	 * @param time time by which threads wait for the start
	 */
	DefaultKeyWatch(WatchedKey watched, Settings settings, DeliveryQueue queue, BooleanSupplier connection,
			TimeSource time) {
		this.settings = settings;
		this.watched = watched;
		this.queue = queue;
		this.listener = new AttachedListener(settings, queue, this::begun);
		this.connection = connection;
		this.time = time;
	}

	/** Begins to watch, unless the application has already closed the watch. */
	void attach() {
		// A listener attached after its removal would never be detached.
		this.watched.attach(this.listener, () -> !this.closed.get());
	}

	Settings settings() {
		return this.settings;
	}

	/** Handles the refusal of the watch by the store or the broker. */
	void refused(StateStoreException reason) {
		settle(reason);
		interrupted();
		enter(State.REFUSED);
	}

	/**
	 * Notifies the application that changes may be missed from now on. A refusal stays in
	 * place until the watch is active.
	 */
	void interrupted() {
		if (!this.closed.get() && this.state.compareAndSet(State.ACTIVE, State.INTERRUPTED)) {
			this.settings.stateListener().accept(State.INTERRUPTED);
		}
	}

	private void begun() {
		this.begun = true;
		settle(null);
		enter(State.ACTIVE);
	}

	private void enter(State state) {
		if (!this.closed.get() && this.state.getAndSet(state) != state) {
			this.settings.stateListener().accept(state);
		}
	}

	private void settle(@Nullable StateStoreException failure) {
		if ((failure != null) ? this.outcome.completeExceptionally(failure) : this.outcome.complete(null)) {
			this.queue.executor().execute(this::publish, () -> !this.published.isDone());
		}
	}

	private void publish() {
		this.published.complete(null);
	}

	@Override
	public Key key() {
		return this.watched.key();
	}

	@Override
	public CompletableFuture<Void> started() {
		return this.published.thenCompose((nothing) -> this.outcome);
	}

	@Override
	public boolean awaitStarted(Duration timeout) throws InterruptedException {
		try {
			this.time.get(this.outcome, timeout);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof StateStoreException failure) ? failure
					: new StateStoreException("The watch of key " + key() + " failed", ex.getCause());
		}
	}

	@Override
	public boolean isConnected() {
		return this.connection.getAsBoolean();
	}

	@Override
	public boolean isActive() {
		return this.begun && !this.closed.get() && this.watched.isActive();
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		if (this.closed.compareAndSet(false, true)) {
			this.watched.remove(this);
			this.watched.detach(this.listener);
			this.outcome.completeExceptionally(
					new StateStoreNotSentException("The watch of key " + key() + " was closed before it started"));
			if (!this.published.isDone() && this.queue.executor().tryExecute(this::publish) != null) {
				// The application may have shut down the executor already.
				publish();
			}
		}
		return this.queue.close();
	}

	@Override
	public String toString() {
		return "KeyWatch[" + key() + (this.closed.get() ? ", closed]" : isActive() ? ", active]" : "]");
	}

}
