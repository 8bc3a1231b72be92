package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.protocol.Bytes;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * One listener's watch of a key. Selects the changes that enter the listener's
 * {@link DeliveryQueue}, according to its settings. The key's events call the methods
 * that handle changes; any thread may call the other methods.
 */
final class DefaultKeyWatch implements KeyWatch {

	/** Why a key is watched. */
	enum Reason {

		/** The application watches the key. */
		KEY,

		/** The application watches a pattern, and a scan has found the key. */
		FOUND,

		/** The application watches a pattern, and the key has just changed. */
		CHANGED

	}

	/**
	 * Outcome of the start, completed on the thread that receives it. Not exposed to the
	 * application, whose continuations would run on that thread.
	 */
	private final CompletableFuture<Void> outcome = new CompletableFuture<>();

	/** Completed on a listener thread once there is an outcome. */
	private final CompletableFuture<Void> published = new CompletableFuture<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	/** State that the state listener was last notified of. */
	private final AtomicReference<State> state = new AtomicReference<>(State.INTERRUPTED);

	/**
	 * Changes that may be local writes, and later changes held behind them. Accessed only
	 * by the key's events.
	 */
	private final List<HeldChange> held = new ArrayList<>();

	private final Settings settings;

	private final Reason reason;

	private final WatchedKey watched;

	private final DeliveryQueue queue;

	private final BooleanSupplier connection;

	private final TimeSource time;

	/** Whether this watch has started. The key may have been active before. */
	private volatile boolean begun;

	/**
	 * Whether the listener is still waiting for the current value. Accessed only by the
	 * key's events.
	 */
	private boolean initialPending;

	/**
	 * Whether an omitted change followed a gap, which the next change must report.
	 * Accessed only by the key's events.
	 */
	private boolean gap;

	/**
	 * Creates a watch, which the caller must attach.
	 * @param connection returns whether there is a connection
	 * @param time time source for threads that wait for the start
	 */
	DefaultKeyWatch(WatchedKey watched, Settings settings, Reason reason, DeliveryQueue queue,
			BooleanSupplier connection, TimeSource time) {
		this.settings = settings;
		this.reason = reason;
		this.watched = watched;
		this.queue = queue;
		this.initialPending = settings.initial();
		this.connection = connection;
		this.time = time;
	}

	Settings settings() {
		return this.settings;
	}

	Reason reason() {
		return this.reason;
	}

	/** Returns whether a pattern's watch delivers the key's changes. */
	boolean isCovered() {
		return this.reason != Reason.KEY;
	}

	WatchedKey watched() {
		return this.watched;
	}

	/** Handles a refusal of the watch by the store or the broker. */
	void refused(StateStoreException reason) {
		complete(reason);
		interrupted();
		enter(State.REFUSED);
	}

	/**
	 * Notifies the state listener that changes may be missed from now on. Does not
	 * replace the REFUSED state, which lasts until the watch is active.
	 */
	void interrupted() {
		if (!this.closed.get() && this.state.compareAndSet(State.ACTIVE, State.INTERRUPTED)) {
			this.settings.stateListener().accept(State.INTERRUPTED);
		}
	}

	/** Returns a future that completes with the outcome of the first synchronization. */
	CompletableFuture<Void> outcome() {
		return this.outcome;
	}

	/** Handles the end of a synchronization, which makes the watch active. */
	void activated() {
		this.begun = true;
		complete(null);
		enter(State.ACTIVE);
	}

	private void enter(State state) {
		if (!this.closed.get() && this.state.getAndSet(state) != state) {
			this.settings.stateListener().accept(state);
		}
	}

	private void complete(@Nullable StateStoreException failure) {
		if ((failure != null) ? this.outcome.completeExceptionally(failure) : this.outcome.complete(null)) {
			this.queue.executor().execute(this::publish, () -> !this.published.isDone());
		}
	}

	private void publish() {
		this.published.complete(null);
	}

	boolean isClosed() {
		return this.closed.get();
	}

	boolean isInitialPending() {
		return this.initialPending;
	}

	/**
	 * Handles the current value, if the listener is waiting for it. It is delivered even
	 * if it is a local write.
	 * @param current the current value, {@code null} if the key is absent
	 */
	void initial(@Nullable KeyChange<Bytes> current) {
		if (this.initialPending && current != null && accepts(current)) {
			this.queue.offer(current);
		}
		this.initialPending = false;
	}

	/** Handles a change, which must be newer than all earlier changes. */
	void changed(KeyChange<Bytes> change, LocalWrites localWrites) {
		if (this.initialPending && change.operation() == Operation.SET) {
			// The change is newer than the initial value, so GET will only confirm it.
			initial(DeliveryQueue.afterGap(change));
			return;
		}
		this.initialPending = false;
		KeyChange<Bytes> marked = reportGap(change);
		if (!accepts(change) || (this.settings.noLocal() && localWrites.contains(change))) {
			this.gap = marked.resynchronized();
		}
		else if (!this.settings.noLocal()
				|| (this.held.isEmpty() && localWrites.isSettled(localWrites.lastStarted()))) {
			this.queue.offer(marked);
		}
		else {
			hold(marked, localWrites.lastStarted());
		}
	}

	/** Returns the change, marked as resynchronized if a gap must be reported. */
	private KeyChange<Bytes> reportGap(KeyChange<Bytes> change) {
		KeyChange<Bytes> marked = this.gap ? DeliveryQueue.afterGap(change) : change;
		this.gap = false;
		return marked;
	}

	private void hold(KeyChange<Bytes> change, long lastWrite) {
		long bytes = this.held.stream().mapToLong((next) -> QueueLimit.sizeOf(next.change())).sum();
		boolean full = !this.queue.limit().hasRoom(this.held.size(), bytes, change);
		if (full) {
			this.held.clear();
		}
		this.held.add(new HeldChange(full ? DeliveryQueue.afterGap(change) : change, lastWrite));
	}

	/**
	 * Drops held changes that are known to be local writes, and releases changes whose
	 * possible local writes have all ended.
	 */
	void settle(LocalWrites localWrites) {
		List<HeldChange> all = List.copyOf(this.held);
		this.held.clear();
		boolean gapAfterAll = this.gap;
		this.gap = false;
		for (HeldChange next : all) {
			KeyChange<Bytes> change = reportGap(next.change());
			if (localWrites.contains(change)) {
				this.gap = change.resynchronized();
			}
			else if (this.held.isEmpty() && localWrites.isSettled(next.lastWrite())) {
				this.queue.offer(change);
			}
			else {
				this.held.add(new HeldChange(change, next.lastWrite()));
			}
		}
		this.gap |= gapAfterAll;
	}

	private boolean accepts(KeyChange<Bytes> change) {
		return this.settings.operations().contains(change.operation());
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
			this.watched.detach(this);
			this.outcome.completeExceptionally(
					new StateStoreNotSentException("The watch of key " + key() + " was closed before it started"));
			if (!this.published.isDone() && this.queue.executor().tryExecute(this::publish) != null) {
				// The application may have already shut down the executor.
				publish();
			}
		}
		return CompletableFuture.allOf(this.watched.ended(), this.queue.close());
	}

	@Override
	public String toString() {
		return "KeyWatch[" + key() + (this.closed.get() ? ", closed]" : isActive() ? ", active]" : "]");
	}

	/**
	 * Change that is held until the outcomes of local writes are known.
	 *
	 * @param lastWrite id of the last local write that may have caused the change
	 */
	private record HeldChange(KeyChange<Bytes> change, long lastWrite) {
	}

}
