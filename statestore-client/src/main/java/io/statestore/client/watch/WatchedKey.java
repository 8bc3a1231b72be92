package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.internal.SerialEvents;
import io.statestore.client.watch.SeenVersions.Reading;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key's watch in the store, shared by all its listeners. It is a state machine that
 * processes events from any thread, one at a time, in order of arrival. Events are short
 * and never block, so they run on the submitting threads. Thread-safe.
 * <p>
 * A synchronization is KEYNOTIFY, then GET. It runs when a listener attaches, after every
 * connect, after a failure, and periodically, because a gateway drops watches that are
 * not renewed. If only {@linkplain WatchedPattern patterns} cover the key, a
 * synchronization is only GET, and runs whenever a pattern requests it.
 */
class WatchedKey {

	/** State of the watch. */
	enum State {

		/** There are no listeners, and the store does not watch the key. */
		IDLE,

		/** Listeners are attached; there is no connection. */
		DISCONNECTED,

		/** KEYNOTIFY is in flight. */
		REGISTERING,

		/** KEYNOTIFY was acknowledged; GET is in flight. */
		READING,

		/** Changes arrive; the next renewal is scheduled. */
		OBSERVING,

		/** A command failed; a retry is scheduled. */
		WAITING,

		/** KEYNOTIFY STOP is in flight. */
		STOPPING

	}

	private static final Logger logger = LoggerFactory.getLogger(WatchedKey.class);

	/** Id of the latest local write. */
	private final AtomicLong lastLocalWrite = new AtomicLong();

	/** The application's watches, including watches that are not attached yet. */
	private final List<DefaultKeyWatch> watches = new CopyOnWriteArrayList<>();

	/** Attached watches. Accessed only by events. */
	private final List<DefaultKeyWatch> attached = new ArrayList<>();

	/** Local writes, which some listeners ignore. */
	private final LocalWrites localWrites = new LocalWrites();

	private final SeenVersions versions = new SeenVersions();

	private final Key key;

	private final SerialEvents events;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final WatchTiming timing;

	private final Runnable onIdle;

	private volatile State state = State.IDLE;

	private volatile boolean active;

	/** Whether the store watches the key. Accessed only by events. */
	private boolean registered;

	/** Verb of the latest command, for the log. Accessed only by events. */
	private String verb = "";

	/**
	 * Whether there is a connection. Accessed only by events, like the following fields.
	 */
	private boolean connected;

	/** Latest step. Replies and ticks of earlier steps are ignored. */
	private int step;

	/** Consecutive failures since the last success or connect. */
	private int failures;

	/** Whether an undecodable notification arrived during GET, which must be repeated. */
	private boolean unread;

	/** Whether GET is being repeated because a notification overtook its first result. */
	private boolean secondReading;

	private Runnable cancelTick = () -> {
	};

	/**
	 * Creates a watched key without listeners.
	 * @param onIdle called when there are no listeners, and the store does not watch the
	 * key
	 */
	WatchedKey(Key key, CommandGate gate, FailureLog failureLog, WatchTiming timing, Runnable onIdle) {
		this.key = key;
		this.events = new SerialEvents(key, (failure) -> {
			// The next event may succeed.
		});
		this.gate = gate;
		this.failureLog = failureLog;
		this.timing = timing;
		this.onIdle = onIdle;
	}

	Key key() {
		return this.key;
	}

	State state() {
		return this.state;
	}

	/** Adds a watch, which the caller must then attach. */
	void add(DefaultKeyWatch watch) {
		this.watches.add(watch);
	}

	/** Removes a watch, which the caller must then detach. */
	void remove(DefaultKeyWatch watch) {
		this.watches.remove(watch);
	}

	List<DefaultKeyWatch> watches() {
		return this.watches;
	}

	/** Returns whether there are no listeners, and the store does not watch the key. */
	boolean isUnused() {
		return this.watches.isEmpty() && this.state == State.IDLE;
	}

	/** Returns whether changes are expected to arrive, which includes renewals. */
	boolean isActive() {
		return this.active;
	}

	@Nullable Version version() {
		return this.versions.known();
	}

	boolean isAbsent() {
		return this.versions.isAbsent();
	}

	List<String> listeners() {
		return this.watches.stream().map((watch) -> watch.settings().id()).toList();
	}

	boolean ignoresLocalWrites() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().noLocal());
	}

	/** Returns whether a lock depends on this watch. */
	private boolean isUrgent() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().urgent());
	}

	/** Notifies all watches that the broker or the store has refused to watch the key. */
	void refused(StateStoreException reason) {
		this.watches.forEach((watch) -> watch.refused(reason));
	}

	/**
	 * Processes an event on the calling thread, or on the thread that is already
	 * processing events.
	 */
	private void submit(Runnable event) {
		this.events.submit(() -> {
			try {
				event.run();
			}
			finally {
				if (this.state == State.IDLE) {
					this.onIdle.run();
				}
			}
		});
	}

	/**
	 * Adds a listener and synchronizes, unless a synchronization is under way or due.
	 * @param watchable returns whether there is a connection, which a new key has not
	 * been notified of. Called when the queued attachment runs, not before, because a
	 * disconnect is queued in the same way
	 */
	void attach(DefaultKeyWatch listener, BooleanSupplier watchable) {
		submit(() -> {
			if (!this.connected && watchable.getAsBoolean()) {
				connect();
			}
			// If a listener were attached after its removal, it would never be detached.
			if (!listener.isClosed()) {
				attach(listener);
			}
		});
	}

	private void attach(DefaultKeyWatch listener) {
		if (this.attached.contains(listener)) {
			return;
		}
		this.attached.add(listener);
		switch (this.state) {
			case IDLE -> begin(listener);
			case DISCONNECTED -> {
				// The key is waiting for another pattern to be watched again.
				if (this.connected && listener.reason() != DefaultKeyWatch.Reason.CHANGED) {
					register();
				}
			}
			// A new synchronization confirms the start for this listener.
			case OBSERVING, WAITING -> {
				if (listener.reason() == DefaultKeyWatch.Reason.CHANGED) {
					listener.activated();
				}
				else {
					register();
				}
			}
			case REGISTERING, READING, STOPPING -> {
				// The current or scheduled synchronization also covers this listener.
			}
		}
	}

	/** Begins to watch the key, without reading it if it has just changed. */
	private void begin(DefaultKeyWatch listener) {
		if (!this.connected) {
			transition(State.DISCONNECTED);
		}
		else if (listener.reason() == DefaultKeyWatch.Reason.CHANGED) {
			transition(State.OBSERVING);
			listener.activated();
		}
		else {
			register();
		}
	}

	/** Returns whether only patterns cover the key. */
	private boolean isCovered() {
		return this.attached.stream().allMatch(DefaultKeyWatch::isCovered);
	}

	/** Reads a key that only patterns cover, after a pattern was watched again. */
	void synchronize() {
		submit(() -> {
			if (this.connected && !this.attached.isEmpty() && isCovered() && this.state != State.STOPPING) {
				register();
			}
		});
	}

	/** Removes a listener. Removing the last listener ends the watch. */
	void detach(DefaultKeyWatch listener) {
		submit(() -> {
			this.attached.remove(listener);
			if (this.attached.isEmpty() && this.state != State.IDLE && this.state != State.STOPPING) {
				end();
			}
		});
	}

	private void end() {
		// A later listener starts from scratch, so it cannot have missed changes.
		this.versions.reset();
		if (this.connected && this.registered && isLast()) {
			transition(State.STOPPING);
			send(stopCommand());
		}
		else {
			idle();
		}
	}

	/**
	 * Handles a new connection, which does not have watches yet and may lead to another
	 * store.
	 */
	void connected() {
		submit(this::connect);
	}

	private void connect() {
		this.connected = true;
		this.versions.connected();
		// An earlier local deletion cannot explain why a key is missing from now on.
		this.localWrites.removeLastDeletion();
		this.failures = 0;
		this.registered = false;
		discontinued();
		if (this.attached.isEmpty()) {
			idle();
		}
		else if (isCovered()) {
			// Once a pattern is watched again, the key is read, and its changes arrive
			// again.
			this.versions.beginSynchronization();
			transition(State.DISCONNECTED);
		}
		else {
			register();
		}
	}

	/** Handles the possibility that the store no longer watches the key or pattern. */
	void discontinued() {
		// A single key is read again in any case.
	}

	/** Returns whether the store's watch must end when this watch ends. */
	boolean isLast() {
		return true;
	}

	/** Handles a loss of the connection. Replies to commands in flight are ignored. */
	void disconnected() {
		submit(() -> {
			this.connected = false;
			this.registered = false;
			discontinued();
			this.step++;
			if (this.attached.isEmpty()) {
				idle();
			}
			else {
				transition(State.DISCONNECTED);
			}
		});
	}

	/**
	 * Handles a notification. Drops it if it is outdated or the watch is stopping.
	 */
	void changed(KeyChange<Bytes> change) {
		submit(() -> {
			boolean stopping = this.state == State.STOPPING
					&& this.attached.stream().noneMatch(DefaultKeyWatch::isCovered);
			if (this.attached.isEmpty() || stopping) {
				return;
			}
			if (this.versions.accept(change)) {
				deliver(change);
			}
			this.localWrites.seen(this.versions.floor());
		});
	}

	private void deliver(KeyChange<Bytes> change) {
		this.attached.forEach((listener) -> listener.changed(change, this.localWrites));
	}

	/** Handles an undecodable notification by reading the key. */
	void unreadable() {
		submit(() -> {
			if (this.state == State.OBSERVING) {
				register();
			}
			this.unread = this.state == State.READING;
		});
	}

	/**
	 * Starts tracking a local write, before it is sent.
	 * @return the id of the write
	 */
	long localWriteStarted() {
		long id = this.lastLocalWrite.incrementAndGet();
		submit(() -> this.localWrites.started(id));
		return id;
	}

	/**
	 * Ends tracking a local write.
	 * @param version version of the change, {@code null} if the write changed nothing or
	 * the version is unknown
	 */
	void localWriteFinished(long id, @Nullable Version version, boolean deletion) {
		submit(() -> {
			this.localWrites.finished(id, version, deletion);
			this.attached.forEach((listener) -> listener.settle(this.localWrites));
			this.localWrites.seen(this.versions.floor());
		});
	}

	/** Sends a command whose reply ends the current state. */
	final void send(Command command) {
		int sent = ++this.step;
		this.verb = Commands.verb(command);
		BiConsumer<@Nullable Response, @Nullable Throwable> callback = (response, failure) -> submit(() -> {
			if (sent != this.step) {
				return;
			}
			if (response != null) {
				replied(response);
			}
			else {
				failed((failure != null) ? failure : new NullPointerException());
			}
		});
		if (isUrgent()) {
			this.gate.submitUrgently(command, callback);
		}
		else {
			this.gate.submit(command, callback);
		}
	}

	/**
	 * Runs an event once a future completes, unless another step begins earlier. If the
	 * future takes too long, the watch is renewed in the meantime.
	 */
	final void after(CompletableFuture<?> future, Runnable event) {
		waitFor(this.state, this.timing.renewalDelay());
		int waiting = this.step;
		future.whenComplete((nothing, failure) -> submit(() -> {
			if (waiting == this.step) {
				event.run();
			}
		}));
	}

	private void replied(Response response) {
		switch (this.state) {
			case REGISTERING -> registered(response);
			case READING -> read(response);
			case STOPPING -> stopped();
			default -> {
			}
		}
	}

	/** Schedules the next attempt. A failed STOP counts as stopped. */
	final void failed(Throwable failure) {
		if (this.state == State.STOPPING) {
			stopped();
			return;
		}
		this.failures++;
		discontinued();
		Duration delay = this.timing.retryDelay(this.failures);
		this.failureLog.failed(this.verb, this.key, failure, delay);
		if (failure instanceof StateStoreRefusedException refusal) {
			refused(refusal);
		}
		waitFor(State.WAITING, delay);
	}

	private void register() {
		this.versions.beginSynchronization();
		if (isCovered()) {
			this.secondReading = false;
			read();
			return;
		}
		transition(State.REGISTERING);
		this.registered = true;
		send(watchCommand());
	}

	Command watchCommand() {
		return new Command.KeyNotify(this.key.bytes());
	}

	Command stopCommand() {
		return new Command.KeyNotifyStop(this.key.bytes());
	}

	/** Handles the reply to {@link #watchCommand()}. */
	void registered(Response response) {
		if (response.reply() instanceof Reply.Ok) {
			this.secondReading = false;
			read();
		}
		else {
			failed(new IllegalStateException("the reply is not OK"));
		}
	}

	private void read() {
		reading(new Command.Get(this.key.bytes()));
	}

	/** Sends a command that reads the current value. */
	final void reading(Command command) {
		transition(State.READING);
		this.unread = false;
		send(command);
	}

	private void readAgain() {
		this.versions.beginSynchronization();
		read();
	}

	/** Handles the reply to a command that reads. */
	void read(Response response) {
		KeyChange<Bytes> current = null;
		Reading reading;
		if (response.reply() instanceof Reply.Value value && response.version() != null) {
			current = new KeyChange<>(this.key, Operation.SET, value.value(), response.version(), true);
			reading = this.versions.foundPresent(current);
		}
		else if (response.reply() instanceof Reply.Missing) {
			reading = this.versions.foundAbsent(this.key, this.localWrites.removeLastDeletion());
		}
		else {
			failed(new IllegalStateException("the reply has no value or no version"));
			return;
		}
		if (reading.change() != null) {
			logger.debug("Key {} has changed without a notification: {}", this.key, reading.change());
			deliver(reading.change());
		}
		else if (reading.current()) {
			for (DefaultKeyWatch listener : this.attached) {
				listener.initial(current);
			}
		}
		this.localWrites.seen(this.versions.floor());
		if (this.attached.stream().anyMatch(DefaultKeyWatch::isInitialPending)) {
			readAgain();
		}
		else {
			watching(reading);
		}
	}

	/** Handles the end of a synchronization. */
	final void watching(Reading reading) {
		this.failures = 0;
		if (isCovered()) {
			transition(State.OBSERVING);
			this.step++;
		}
		else {
			waitFor(State.OBSERVING, this.timing.renewalDelay());
		}
		this.attached.forEach(DefaultKeyWatch::activated);
		boolean outdated = !reading.current() && !this.secondReading;
		if (this.unread || outdated) {
			this.secondReading = outdated;
			readAgain();
		}
	}

	private void stopped() {
		this.registered = false;
		if (this.attached.isEmpty()) {
			idle();
		}
		else {
			register();
		}
	}

	/**
	 * Returns a future that completes when the watches that end together with this watch
	 * have ended.
	 */
	CompletableFuture<Void> ended() {
		return CompletableFuture.completedFuture(null);
	}

	private void idle() {
		this.step++;
		transition(State.IDLE);
	}

	/** Enters a state, and schedules the next synchronization after a delay. */
	private void waitFor(State next, Duration delay) {
		transition(next);
		int scheduled = ++this.step;
		this.cancelTick = this.timing.timer().schedule(delay, () -> submit(() -> {
			if (scheduled == this.step) {
				register();
			}
		}));
	}

	private void transition(State next) {
		if (this.state == next) {
			return;
		}
		logger.debug("Watch of key {}: {} -> {}", this.key, this.state, next);
		this.state = next;
		this.cancelTick.run();
		switch (next) {
			case OBSERVING -> this.active = true;
			case REGISTERING, READING -> {
				// A renewal keeps the watch active.
			}
			case IDLE, DISCONNECTED, WAITING, STOPPING -> {
				this.active = false;
				this.watches.forEach(DefaultKeyWatch::interrupted);
			}
		}
	}

}
