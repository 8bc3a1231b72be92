package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.Version;
import io.statestore.sample.room.LogEntry.Kind;
import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Current state of the line, as the page shows it. Opens no connections and starts no
 * threads. Thread-safe.
 */
class Line {

	private final List<Runnable> listeners = new ArrayList<>();

	private final KeyTable keys = new KeyTable();

	private final PressTable presses = new PressTable();

	private final BrokerTable brokers = new BrokerTable();

	private final RejectedWrites rejected = new RejectedWrites();

	private final EventLog log = new EventLog();

	private final LeaderTerm term;

	private final String brokerName;

	private @Nullable Double setpoint;

	private boolean brokerAvailable = true;

	Line(String brokerName, Duration lease) {
		this.brokerName = brokerName;
		this.term = new LeaderTerm(lease);
	}

	/** Called for each change of each key, in the order of the changes of a key. */
	synchronized void changed(KeyChange<Bytes> change) {
		this.keys.changed(change);
		String key = change.key().bytes().toUtf8();
		String press = LineKeys.press(key);
		if (press != null) {
			readingChanged(press, LineKeys.json(change.value()));
		}
		switch (key) {
			case LineKeys.LEADER -> lockChanged(change);
			case LineKeys.BATCH -> this.term.batchChanged(LineKeys.json(change.value()));
			case LineKeys.REJECTED ->
				logNews(Kind.REJECTED, this.rejected.changed(LineKeys.json(change.value()), change.resynchronized()));
			case LineKeys.SETPOINT -> setpointChanged(LineKeys.json(change.value()), change.resynchronized());
			default -> {
			}
		}
		notifyListeners();
	}

	private void lockChanged(KeyChange<Bytes> change) {
		logNews(Kind.LEADER, this.term.lockChanged(change));
		String leader = this.term.leader();
		if (leader != null) {
			this.rejected.renewed(leader, change.version());
		}
	}

	private void readingChanged(String press, JsonNode reading) {
		if (this.presses.read(press, reading)) {
			boolean joined = this.presses.contains(press);
			log(joined ? Kind.CHANGE : Kind.FAILURE,
					press + (joined ? " has joined the line." : " has left the line."));
		}
	}

	private void setpointChanged(JsonNode value, boolean initial) {
		this.setpoint = value.isNumber() ? value.asDouble() : null;
		if (!initial) {
			log(Kind.CHANGE, value.isNumber() ? "The setpoint is " + value.asDouble() + " °C."
					: "The setpoint has been deleted.");
		}
	}

	/** Called when a process of this control room or its cable has another state. */
	synchronized void processChanged(String press, long pid, State state, boolean connected) {
		this.presses.process(press, pid, state, connected);
		notifyListeners();
	}

	/**
	 * Called when a button has disrupted a press, which may lose its lock.
	 * @param cause what has happened, such as "was paused"
	 */
	synchronized void trouble(String press, String cause) {
		Trouble trouble = new Trouble(press, cause, Instant.now());
		this.term.trouble(trouble);
		this.rejected.trouble(trouble);
	}

	/** Called when the process of one of three brokers has started or ended. */
	synchronized void brokerProcess(String broker, boolean running) {
		this.brokers.process(broker, running);
		notifyListeners();
	}

	/**
	 * Called with the answer of the leading broker.
	 * @param nodes the brokers as it knows them, none if no broker answers
	 */
	synchronized void brokerStatus(List<ClusterNodeState> nodes) {
		List<BrokerState> before = this.brokers.brokers();
		logNews(Kind.LEADER, this.brokers.status(nodes));
		if (!this.brokers.brokers().equals(before)) {
			notifyListeners();
		}
	}

	/** Called when a press runs as a new process, which has had no trouble. */
	synchronized void processStarted(String press) {
		this.rejected.forget(press);
	}

	private void logNews(Kind kind, @Nullable String news) {
		if (news != null) {
			log(kind, news);
		}
	}

	synchronized void log(Kind kind, String text) {
		this.log.add(kind, text);
		notifyListeners();
	}

	synchronized void brokerAvailable(boolean available) {
		this.brokerAvailable = available;
		notifyListeners();
	}

	private void notifyListeners() {
		this.listeners.forEach(Runnable::run);
	}

	/** Returns the presses by name, without those that have disappeared. */
	synchronized List<Machine> machines() {
		return this.presses.machines(this.term.leader());
	}

	/** Returns the three brokers, none if there is one. */
	synchronized List<BrokerState> brokers() {
		return this.brokers.brokers();
	}

	/** Returns the leader and its term. */
	synchronized Leadership leadership() {
		return this.term.leadership();
	}

	/** Returns all keys of the store, in alphabetical order. */
	synchronized List<StoredKey> keys() {
		return this.keys.keys();
	}

	/** Returns the number of changes of all keys since the start. */
	synchronized long changes() {
		return this.keys.changes();
	}

	/** Returns the setpoint in degrees Celsius, {@code null} if none is set. */
	synchronized @Nullable Double setpoint() {
		return this.setpoint;
	}

	/** Returns the last entries of the event log, oldest first, at most 200. */
	synchronized List<LogEntry> log() {
		return this.log.entries();
	}

	/** Returns the stale writes that the store has refused. */
	synchronized Rejected rejected() {
		return this.rejected.rejected();
	}

	/** Returns whether the control room is connected to the store. */
	synchronized boolean isBrokerAvailable() {
		return this.brokerAvailable;
	}

	/** Returns a short description of the broker. */
	String brokerName() {
		return this.brokerName;
	}

	/**
	 * Adds a listener, which is called after each change. It runs on the thread that
	 * makes the change, and must not block.
	 */
	synchronized void onChange(Runnable listener) {
		this.listeners.add(listener);
	}

}
