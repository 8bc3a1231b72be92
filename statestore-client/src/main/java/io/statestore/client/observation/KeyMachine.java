package io.statestore.client.observation;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.observation.SeenVersions.Reading;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one observed key, a state machine without threads, network or clock. One
 * cycle is KEYNOTIFY, then GET: it runs when the observation begins, after every
 * connection, after a failure, and from time to time, because a gateway forgets
 * observations that are not renewed.
 */
final class KeyMachine {

	/** Where the life of the observation stands. */
	enum State {

		/** Nobody listens and the store knows of nothing. */
		IDLE,

		/** Somebody listens and there is no connection. */
		DISCONNECTED,

		/** KEYNOTIFY is on its way. */
		REGISTERING,

		/** KEYNOTIFY was acknowledged and GET is on its way. */
		READING,

		/** Changes arrive; the next renewal is scheduled. */
		OBSERVING,

		/** A command failed and the next cycle is scheduled. */
		WAITING,

		/** KEYNOTIFY STOP is on its way. */
		STOPPING

	}

	/** What the machine causes. Replies and ticks come back with the number given. */
	interface Actions {

		void send(Command command, int step);

		/** Replaces an earlier tick. */
		void schedule(Duration delay, int step);

		void cancelTick();

		/** Before anybody is told of anything else. */
		void entered(State state);

		/**
		 * Called when a synchronization fails; the next one follows after the delay.
		 * @param command the name of the command that failed
		 */
		void failed(String command, Throwable reason, Duration delay);

		/** From a failed cycle, counted from 1, to the next one. */
		Duration retryDelay(int failures);

		Duration renewalDelay();

	}

	private static final Logger logger = LoggerFactory.getLogger(KeyMachine.class);

	private final Subscribers subscribers = new Subscribers();

	private final SeenVersions versions = new SeenVersions();

	private final Key key;

	private final Actions actions;

	private State state = State.IDLE;

	private boolean connected;

	/** Only the reply or tick of the latest step counts. */
	private int step;

	private int failures;

	/** Something has changed since GET was sent, and only another one can tell what. */
	private boolean unread;

	/** GET is sent for the second time, because news has overtaken the first. */
	private boolean secondReading;

	KeyMachine(Key key, Actions actions) {
		this.key = key;
		this.actions = actions;
	}

	State state() {
		return this.state;
	}

	void attach(Subscriber subscriber) {
		this.subscribers.add(subscriber);
		switch (this.state) {
			case IDLE -> begin();
			// Once more, so that what has started is true of this listener too.
			case OBSERVING, WAITING -> register();
			case DISCONNECTED, REGISTERING, READING, STOPPING -> {
				// The cycle that runs or follows is also that of this listener.
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

	void detach(Subscriber subscriber) {
		this.subscribers.remove(subscriber);
		if (!this.subscribers.isEmpty() || this.state == State.IDLE || this.state == State.STOPPING) {
			return;
		}
		// Whoever comes next has not missed anything.
		this.versions.forget();
		if (this.connected) {
			transition(State.STOPPING);
			this.actions.cancelTick();
			send(new Command.KeyNotifyStop(this.key.bytes()));
		}
		else {
			idle();
		}
	}

	/** A connection on which nothing is observed yet, perhaps of another store. */
	void connected() {
		this.connected = true;
		this.versions.connected();
		this.subscribers.forgetLastDeletion();
		this.failures = 0;
		if (this.subscribers.isEmpty()) {
			idle();
		}
		else {
			register();
		}
	}

	void disconnected() {
		this.connected = false;
		this.step++;
		this.actions.cancelTick();
		if (this.subscribers.isEmpty()) {
			idle();
		}
		else {
			transition(State.DISCONNECTED);
		}
	}

	void changed(KeyChange<Bytes> change) {
		// Who came while the observation was being stopped begins with the next one.
		if (this.subscribers.isEmpty() || this.state == State.STOPPING) {
			return;
		}
		if (this.versions.accept(change)) {
			this.subscribers.changed(change);
		}
		this.subscribers.seen(this.versions.floor());
	}

	/** Something has changed and only the store can tell what. */
	void unreadable() {
		if (this.state == State.OBSERVING) {
			register();
		}
		this.unread = this.state == State.READING;
	}

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

	void failed(int step, Throwable failure) {
		if (step != this.step) {
			return;
		}
		if (this.state == State.STOPPING) {
			stopped();
			return;
		}
		this.failures++;
		Duration delay = this.actions.retryDelay(this.failures);
		this.actions.failed((this.state == State.REGISTERING) ? "KEYNOTIFY" : "GET", failure, delay);
		waitFor(State.WAITING, delay);
	}

	void tick(int step) {
		if (step == this.step) {
			register();
		}
	}

	void ownWriteStarted(long id) {
		this.subscribers.ownWriteStarted(id);
	}

	/**
	 * @param version of the change that was made, {@code null} if there is none or nobody
	 * knows
	 */
	void ownWriteFinished(long id, @Nullable Version version, boolean deletion) {
		this.subscribers.ownWriteFinished(id, version, deletion);
		this.subscribers.seen(this.versions.floor());
	}

	private void register() {
		this.actions.cancelTick();
		transition(State.REGISTERING);
		this.versions.cycleBegins();
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
		this.actions.cancelTick();
		transition(State.READING);
		this.unread = false;
		send(new Command.Get(this.key.bytes()));
	}

	private void readAgain() {
		this.versions.cycleBegins();
		read();
	}

	private void read(Response response) {
		KeyChange<Bytes> current = null;
		Reading reading;
		if (response.reply() instanceof Reply.Value value && response.version() != null) {
			current = new KeyChange<>(this.key, Operation.SET, value.value(), response.version(), true);
			reading = this.versions.present(current);
		}
		else if (response.reply() instanceof Reply.Missing) {
			reading = this.versions.absent(this.key, this.subscribers.takeLastDeletion());
		}
		else {
			failed(this.step, new IllegalStateException("the reply has no value or no version"));
			return;
		}
		if (reading.change() != null) {
			logger.debug("Key {} has changed unnoticed: {}", this.key, reading.change());
			this.subscribers.changed(reading.change());
		}
		else if (reading.current()) {
			this.subscribers.initial(current);
		}
		this.subscribers.seen(this.versions.floor());
		if (this.subscribers.initialPending()) {
			readAgain();
		}
		else {
			observing(reading);
		}
	}

	private void observing(Reading reading) {
		this.failures = 0;
		waitFor(State.OBSERVING, this.actions.renewalDelay());
		this.subscribers.started();
		boolean outdated = !reading.current() && !this.secondReading;
		if (this.unread || outdated) {
			this.secondReading = outdated;
			readAgain();
		}
	}

	private void stopped() {
		if (this.subscribers.isEmpty()) {
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
			logger.debug("Observation of key {}: {} -> {}", this.key, this.state, next);
			this.state = next;
			this.actions.entered(next);
		}
	}

}
