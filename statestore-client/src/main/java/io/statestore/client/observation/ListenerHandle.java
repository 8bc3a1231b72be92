package io.statestore.client.observation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.observation.PatientExecutor.Turn;
import org.jspecify.annotations.Nullable;

/** What the application holds of one listener. */
final class ListenerHandle implements KeyObservation {

	/**
	 * How the start went, known on the thread that brings it. Only to be waited for: code
	 * that depends on it would run there.
	 */
	private final CompletableFuture<Void> outcome = new CompletableFuture<>();

	/** The same for the application, on its own threads. */
	private final CompletableFuture<Void> started = new CompletableFuture<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	/** State that the listener was notified of last. */
	private final AtomicReference<State> state = new AtomicReference<>(State.INTERRUPTED);

	/** Set later than that of the key if other listeners observed the key already. */
	private volatile boolean begun;

	private volatile @Nullable NotificationSource source;

	private final ObservedKey observed;

	private final Lane lane;

	private final Subscriber subscriber;

	private final Consumer<State> stateListener;

	private final Turn publication;

	ListenerHandle(ObservedKey observed, Settings settings, Lane lane, PatientExecutor executor) {
		this.observed = observed;
		this.lane = lane;
		this.stateListener = settings.stateListener();
		this.subscriber = new Subscriber(settings, lane, this::begun);
		this.publication = executor.turn(this::publish);
	}

	void attach() {
		this.observed.submit((machine) -> {
			// Otherwise it would never be detached.
			if (!this.closed.get()) {
				machine.attach(this.subscriber);
			}
		});
	}

	boolean ignoresOwn() {
		return this.subscriber.ignoresOwn();
	}

	boolean isDirect() {
		return this.subscriber.isDirect();
	}

	void refused(StateStoreException reason) {
		settled(reason);
		interrupted();
		enter(State.REFUSED);
	}

	/**
	 * Notifies the listener that changes may be missed from now on. A refusal stays in
	 * place until the observation is active.
	 */
	void interrupted() {
		if (!this.closed.get() && this.state.compareAndSet(State.ACTIVE, State.INTERRUPTED)) {
			this.stateListener.accept(State.INTERRUPTED);
		}
	}

	private void begun() {
		this.begun = true;
		settled(null);
		enter(State.ACTIVE);
	}

	private void enter(State state) {
		if (!this.closed.get() && this.state.getAndSet(state) != state) {
			this.stateListener.accept(state);
		}
	}

	private void settled(@Nullable StateStoreException failure) {
		if ((failure != null) ? this.outcome.completeExceptionally(failure) : this.outcome.complete(null)) {
			this.publication.ask();
		}
	}

	private void publish() {
		this.outcome.whenComplete((nothing, failure) -> {
			if (failure != null) {
				this.started.completeExceptionally(failure);
			}
			else {
				this.started.complete(null);
			}
		});
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
	public boolean awaitStarted(Duration timeout) throws InterruptedException {
		try {
			this.outcome.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof StateStoreException failure) ? failure
					: new StateStoreException("The observation of key " + key() + " failed", ex.getCause());
		}
	}

	/** Sets the source whose connection this observation uses. */
	void connectedBy(NotificationSource source) {
		this.source = source;
	}

	@Override
	public boolean isConnected() {
		NotificationSource source = this.source;
		return source == null || source.isConnected();
	}

	@Override
	public boolean isActive() {
		return this.begun && !this.closed.get() && this.observed.isActive();
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		if (this.closed.compareAndSet(false, true)) {
			this.observed.remove(this);
			this.observed.submit((machine) -> machine.detach(this.subscriber));
			settled(new StateStoreNotSentException(
					"The observation of key " + key() + " was closed before it started"));
			if (this.publication.isRejected() && this.publication.cancel()) {
				// Of an executor that may be gone; this is a thread of the application.
				publish();
			}
		}
		return this.lane.close();
	}

	@Override
	public String toString() {
		return "KeyObservation[" + key() + (this.closed.get() ? ", closed]" : isActive() ? ", active]" : "]");
	}

}
