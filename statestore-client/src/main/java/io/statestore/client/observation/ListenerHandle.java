package io.statestore.client.observation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreNotSentException;

/** What the application holds of one listener. */
final class ListenerHandle implements KeyObservation {

	private final CompletableFuture<Void> started = new CompletableFuture<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final ObservedKey observed;

	private final Lane lane;

	private final Executor executor;

	private final Subscriber subscriber;

	ListenerHandle(ObservedKey observed, Settings settings, Lane lane, Executor executor) {
		this.observed = observed;
		this.lane = lane;
		this.executor = executor;
		this.subscriber = new Subscriber(settings, lane, () -> tell(() -> this.started.complete(null)));
	}

	void attach() {
		this.observed.submit((machine) -> machine.attach(this.subscriber));
	}

	boolean ignoresOwn() {
		return this.subscriber.ignoresOwn();
	}

	void refused(Throwable reason) {
		tell(() -> this.started.completeExceptionally(reason));
	}

	/** Code that depends on the future belongs to the application. */
	private void tell(Runnable completion) {
		if (this.started.isDone()) {
			return;
		}
		try {
			this.executor.execute(completion);
		}
		catch (RejectedExecutionException ex) {
			completion.run();
		}
	}

	@Override
	public Key key() {
		return this.observed.key();
	}

	@Override
	public CompletableFuture<Void> started() {
		return this.started.copy();
	}

	@Override
	public boolean isActive() {
		return !this.closed.get() && this.observed.isActive();
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		if (this.closed.compareAndSet(false, true)) {
			this.observed.remove(this);
			this.observed.submit((machine) -> machine.detach(this.subscriber));
			tell(() -> this.started.completeExceptionally(new StateStoreNotSentException(
					"The observation of key " + key() + " was closed before it started")));
		}
		return this.lane.close();
	}

	@Override
	public String toString() {
		return "KeyObservation[" + key() + (this.closed.get() ? ", closed]" : isActive() ? ", active]" : "]");
	}

}
