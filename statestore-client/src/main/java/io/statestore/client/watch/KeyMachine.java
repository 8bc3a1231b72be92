package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.watch.SeenVersions.Reading;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine for the watch of one key, without threads, network or clock of its own:
 * it acts through {@link Actions}. Not thread-safe.
 * <p>
 * A synchronization is KEYNOTIFY, then GET. It runs when a listener attaches, after every
 * connect, after a failure, and periodically, because a gateway drops watches that are
 * not renewed.
 */
final class KeyMachine {

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

	/** Effects of the machine. Replies and ticks pass {@code step} back. */
	interface Actions {

		/** Sends a command. */
		void send(Command command, int step);

		/** Schedules a tick in the present state. */
		void schedule(Duration delay, int step);

		/**
		 * Called on entering a state, before listeners are notified. A scheduled tick has
		 * no effect in another state, and can be canceled.
		 */
		void entered(State state);

		/**
		 * Called when a synchronization fails; the next one follows after the delay.
		 * @param command the name of the command that failed
		 */
		void failed(String command, Throwable reason, Duration delay);

	}

	private static final Logger logger = LoggerFactory.getLogger(KeyMachine.class);

	private final List<AttachedListener> listeners = new ArrayList<>();

	/** Local writes, which some listeners ignore. */
	private final LocalWrites localWrites = new LocalWrites();

	private final SeenVersions versions = new SeenVersions();

	private final Key key;

	private final WatchTiming timing;

	private final Actions actions;

	private State state = State.IDLE;

	private boolean connected;

	/** Latest step. Replies and ticks of earlier steps are ignored. */
	private int step;

	/** Consecutive failures since the last success or connect. */
	private int failures;

	/** Whether an undecodable notification arrived during GET, which must be repeated. */
	private boolean unread;

	/** Whether GET is being repeated because a notification overtook its first result. */
	private boolean secondReading;

	KeyMachine(Key key, WatchTiming timing, Actions actions) {
		this.key = key;
		this.timing = timing;
		this.actions = actions;
	}

	State state() {
		return this.state;
	}

	/** Returns the version of the last known value or deletion, if any. */
	@Nullable Version version() {
		return this.versions.known();
	}

	/** Adds a listener and synchronizes, unless a synchronization is under way or due. */
	void attach(AttachedListener listener) {
		this.listeners.add(listener);
		switch (this.state) {
			case IDLE -> begin();
			// A new synchronization confirms the start for this listener too.
			case OBSERVING, WAITING -> register();
			case DISCONNECTED, REGISTERING, READING, STOPPING -> {
				// The synchronization under way or due serves this listener too.
			}
		}
	}

	private void begin() {
		if (this.connected) {
			register();
		}
		else {
			transition(State.DISCONNECTED);
		}
	}

	/** Removes a listener. Removing the last one ends the watch. */
	void detach(AttachedListener listener) {
		this.listeners.remove(listener);
		if (!this.listeners.isEmpty() || this.state == State.IDLE || this.state == State.STOPPING) {
			return;
		}
		// A later listener begins anew: it has missed no changes.
		this.versions.reset();
		if (this.connected) {
			transition(State.STOPPING);
			send(new Command.KeyNotifyStop(this.key.bytes()));
		}
		else {
			idle();
		}
	}

	/**
	 * Handles a new connection, which has no watches yet and may be to another store.
	 */
	void connected() {
		this.connected = true;
		this.versions.connected();
		// An earlier local deletion does not explain a key missing from now on.
		this.localWrites.removeLastDeletion();
		this.failures = 0;
		if (this.listeners.isEmpty()) {
			idle();
		}
		else {
			register();
		}
	}

	/** Handles the loss of the connection; replies in flight are ignored. */
	void disconnected() {
		this.connected = false;
		this.step++;
		if (this.listeners.isEmpty()) {
			idle();
		}
		else {
			transition(State.DISCONNECTED);
		}
	}

	/**
	 * Handles a notification. Drops it if it is outdated or the watch is stopping.
	 */
	void changed(KeyChange<Bytes> change) {
		if (this.listeners.isEmpty() || this.state == State.STOPPING) {
			return;
		}
		if (this.versions.accept(change)) {
			deliver(change);
		}
		this.localWrites.seen(this.versions.floor());
	}

	private void deliver(KeyChange<Bytes> change) {
		this.listeners.forEach((listener) -> listener.changed(change, this.localWrites));
	}

	/** Handles an undecodable notification by reading the key. */
	void unreadable() {
		if (this.state == State.OBSERVING) {
			register();
		}
		this.unread = this.state == State.READING;
	}

	/** Handles a reply. */
	void replied(int step, Response response) {
		if (step != this.step) {
			return;
		}
		switch (this.state) {
			case REGISTERING -> registered(response);
			case READING -> read(response);
			case STOPPING -> stopped();
			default -> {
			}
		}
	}

	/**
	 * Handles a failed command by scheduling a retry; a failed STOP counts as stopped.
	 */
	void failed(int step, Throwable failure) {
		if (step != this.step) {
			return;
		}
		if (this.state == State.STOPPING) {
			stopped();
			return;
		}
		this.failures++;
		Duration delay = this.timing.retryDelay(this.failures);
		this.actions.failed((this.state == State.REGISTERING) ? "KEYNOTIFY" : "GET", failure, delay);
		waitFor(State.WAITING, delay);
	}

	/** Starts the scheduled synchronization. */
	void tick(int step) {
		if (step == this.step) {
			register();
		}
	}

	/** Starts tracking a local write. */
	void localWriteStarted(long id) {
		this.localWrites.started(id);
	}

	/**
	 * Ends tracking a local write.
	 * @param version version of the change, or {@code null} if there was none or it is
	 * unknown
	 */
	void localWriteFinished(long id, @Nullable Version version, boolean deletion) {
		this.localWrites.finished(id, version, deletion);
		for (AttachedListener listener : this.listeners) {
			if (version != null) {
				listener.dropLocalWrites(this.localWrites);
			}
			listener.releaseSettled(this.localWrites);
		}
		this.localWrites.seen(this.versions.floor());
	}

	private void register() {
		transition(State.REGISTERING);
		this.versions.beginSynchronization();
		send(new Command.KeyNotify(this.key.bytes()));
	}

	private void registered(Response response) {
		if (response.reply() instanceof Reply.Ok) {
			this.secondReading = false;
			read();
		}
		else {
			failed(this.step, new IllegalStateException("the reply is not OK"));
		}
	}

	private void read() {
		transition(State.READING);
		this.unread = false;
		send(new Command.Get(this.key.bytes()));
	}

	private void readAgain() {
		this.versions.beginSynchronization();
		read();
	}

	private void read(Response response) {
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
			failed(this.step, new IllegalStateException("the reply has no value or no version"));
			return;
		}
		if (reading.change() != null) {
			logger.debug("Key {} has changed without a notification: {}", this.key, reading.change());
			deliver(reading.change());
		}
		else if (reading.current()) {
			for (AttachedListener listener : this.listeners) {
				listener.initial(current);
			}
		}
		this.localWrites.seen(this.versions.floor());
		if (this.listeners.stream().anyMatch(AttachedListener::isInitialPending)) {
			readAgain();
		}
		else {
			watching(reading);
		}
	}

	private void watching(Reading reading) {
		this.failures = 0;
		waitFor(State.OBSERVING, this.timing.renewalDelay());
		this.listeners.forEach(AttachedListener::started);
		boolean outdated = !reading.current() && !this.secondReading;
		if (this.unread || outdated) {
			this.secondReading = outdated;
			readAgain();
		}
	}

	private void stopped() {
		if (this.listeners.isEmpty()) {
			idle();
		}
		else {
			register();
		}
	}

	private void idle() {
		this.step++;
		transition(State.IDLE);
	}

	private void waitFor(State next, Duration delay) {
		transition(next);
		this.actions.schedule(delay, ++this.step);
	}

	private void send(Command command) {
		this.actions.send(command, ++this.step);
	}

	private void transition(State next) {
		if (this.state != next) {
			logger.debug("Watch of key {}: {} -> {}", this.key, this.state, next);
			this.state = next;
			this.actions.entered(next);
		}
	}

}
