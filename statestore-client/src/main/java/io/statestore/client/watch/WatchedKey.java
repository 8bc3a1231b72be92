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
 * Watch of one key in the store, shared by all its listeners. A state machine, which
 * processes events from any thread one at a time, in the order of their arrival. Events
 * are short and never block, so they run on the submitting threads. Safe for use by
 * several threads.
 * <p>
 * A synchronization is KEYNOTIFY, then GET. It runs when a listener attaches, after every
 * connect, after a failure, and periodically, because a gateway drops watches that are
 * not renewed. If only {@linkplain WatchedPattern patterns} cover the key, it is GET
 * alone, whenever one of them asks for it.
 */
class WatchedKey {

	/** State of the watch. */
	enum State {

		/** No listener, and no watch in the store. */
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

	/** Watches of the application, also before they are attached. */
	private final List<DefaultKeyWatch> watches = new CopyOnWriteArrayList<>();

	/** Watches that are attached. Accessed by events only. */
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

	private volatile boolean absent;

	/** Whether the store has a watch of the key. Accessed by events only. */
	private boolean registered;

	/** Verb of the last command, for the log. Accessed by events only. */
	private String verb = "";

	/** Version of the last known value or deletion. */
	private volatile @Nullable Version version;

	/** Whether there is a connection. Accessed by events only, like the next fields. */
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
	 * @param onIdle called when the store has no watch of the key
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

	/** Adds a watch, which is still to be attached. */
	void add(DefaultKeyWatch watch) {
		this.watches.add(watch);
	}

	/** Removes a watch, which is still to be detached. */
	void remove(DefaultKeyWatch watch) {
		this.watches.remove(watch);
	}

	List<DefaultKeyWatch> watches() {
		return this.watches;
	}

	/** Returns whether there is no listener, and no watch in the store. */
	boolean isUnused() {
		return this.watches.isEmpty() && this.state == State.IDLE;
	}

	/** Returns whether changes arrive now, which they also do during a renewal. */
	boolean isActive() {
		return this.active;
	}

	/** Returns the version of the last known value or deletion, if any. */
	@Nullable Version version() {
		return this.version;
	}

	/** Returns whether the key is known to be absent. */
	boolean isAbsent() {
		return this.absent;
	}

	/** Returns the names of the listeners. */
	List<String> listeners() {
		return this.watches.stream().map((watch) -> watch.settings().id()).toList();
	}

	/** Returns whether a listener ignores local writes. */
	boolean ignoresLocalWrites() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().noLocal());
	}

	/** Returns whether a lock depends on this watch. */
	private boolean isUrgent() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().urgent());
	}

	/** Notifies all watches of a refusal by the broker or the store. */
	void refused(StateStoreException reason) {
		this.watches.forEach((watch) -> watch.refused(reason));
	}

	/** Processes an event on this thread, or on the thread that is processing events. */
	private void submit(Runnable event) {
		this.events.submit(() -> {
			try {
				event.run();
			}
			finally {
				this.version = this.versions.known();
				this.absent = this.versions.isAbsent();
				if (this.state == State.IDLE) {
					this.onIdle.run();
				}
			}
		});
	}

	/**
	 * Adds a listener and synchronizes, unless a synchronization is under way or due.
	 * @param watchable whether there is a connection, of which a new key does not know
	 * yet. Read within the event, because a disconnect is an event too
	 */
	void attach(DefaultKeyWatch listener, BooleanSupplier watchable) {
		submit(() -> {
			if (!this.connected && watchable.getAsBoolean()) {
				connect();
			}
			// A listener attached after its removal would never be detached.
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
				// A key that waits for another pattern
				if (this.connected && listener.reason() != DefaultKeyWatch.Reason.CHANGED) {
					register();
				}
			}
			// A new synchronization confirms the start for this listener too.
			case OBSERVING, WAITING -> {
				if (listener.reason() == DefaultKeyWatch.Reason.CHANGED) {
					listener.activated();
				}
				else {
					register();
				}
			}
			case REGISTERING, READING, STOPPING -> {
				// The synchronization under way or due serves this listener too.
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

	/** Returns whether patterns bring the changes of the key. */
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

	/** Removes a listener. Removing the last one ends the watch. */
	void detach(DefaultKeyWatch listener) {
		submit(() -> {
			this.attached.remove(listener);
			if (this.attached.isEmpty() && this.state != State.IDLE && this.state != State.STOPPING) {
				end();
			}
		});
	}

	private void end() {
		// A later listener begins anew: it has missed no changes.
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
	 * Handles a new connection, which has no watches yet and may be to another store.
	 */
	void connected() {
		submit(this::connect);
	}

	private void connect() {
		this.connected = true;
		this.versions.connected();
		// An earlier local deletion does not explain a key missing from now on.
		this.localWrites.removeLastDeletion();
		this.failures = 0;
		this.registered = false;
		discontinued();
		if (this.attached.isEmpty()) {
			idle();
		}
		else if (isCovered()) {
			// Its changes arrive again, and it is read, after a pattern is watched.
			this.versions.beginSynchronization();
			transition(State.DISCONNECTED);
		}
		else {
			register();
		}
	}

	/** Handles that the store may have no watch of the key any longer. */
	void discontinued() {
		// A watch of one key is read again anyway.
	}

	/** Returns whether the end of this watch ends that of the store. */
	boolean isLast() {
		return true;
	}

	/** Handles the loss of the connection; replies in flight are ignored. */
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
	 * @param version version of the change, or {@code null} if there was none or it is
	 * unknown
	 */
	void localWriteFinished(long id, @Nullable Version version, boolean deletion) {
		submit(() -> {
			this.localWrites.finished(id, version, deletion);
			this.attached.forEach((listener) -> listener.settle(this.localWrites));
			this.localWrites.seen(this.versions.floor());
		});
	}

	/** Sends a command whose reply ends the present state. */
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
	 * Runs an event after a future, unless the state changes before. If that takes too
	 * long, the watch is renewed meanwhile.
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

	/** Returns the command that watches this key. */
	Command watchCommand() {
		return new Command.KeyNotify(this.key.bytes());
	}

	/** Returns the command that ends the watch of this key. */
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

	/** Sends a command that reads the present state. */
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

	/** Returns a future that completes when other watches have ended with this one. */
	CompletableFuture<Void> ended() {
		return CompletableFuture.completedFuture(null);
	}

	private void idle() {
		this.step++;
		transition(State.IDLE);
	}

	/** Enters a state until the next synchronization, which follows after the delay. */
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
