package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.sample.room.LogEntry.Kind;
import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the page shows: the current state of the line. Contains no connection and starts
 * no thread. Safe for use by several threads.
 */
class Line {

	/** Part of the page that has changed. */
	enum Part {

		/** {@link #machines()}. */
		MACHINES,

		/** {@link #leadership()}. */
		LEADERSHIP,

		/** {@link #keys()}. */
		KEYS,

		/** {@link #setPoint()}. */
		SET_POINT,

		/** {@link #log()}. */
		LOG,

		/** {@link #rejected()}. */
		REJECTED,

		/** {@link #isBrokerAvailable()}. */
		BROKER

	}

	private final Object lock = new Object();

	private final List<Consumer<Part>> listeners = new CopyOnWriteArrayList<>();

	private final KeyTable keys = new KeyTable();

	private final PressTable presses = new PressTable();

	private final RejectedWrites rejected = new RejectedWrites();

	private final EventLog log = new EventLog();

	private final LeaderTerm term;

	private final String brokerName;

	private volatile @Nullable Double setPoint;

	private volatile boolean brokerAvailable = true;

	Line(String brokerName, Duration lease) {
		this.brokerName = brokerName;
		this.term = new LeaderTerm(lease);
	}

	/** Called for each change of each key, in the order of the changes of a key. */
	void changed(KeyChange<Bytes> change) {
		this.keys.changed(change);
		notifyListeners(Part.KEYS);
		String key = change.key().bytes().toUtf8();
		String press = LineKeys.press(key);
		if (press != null) {
			readingChanged(press, LineKeys.json(change.value()));
			return;
		}
		switch (key) {
			case LineKeys.LEADER -> leaderChanged(change);
			case LineKeys.BATCH -> batchChanged(LineKeys.json(change.value()));
			case LineKeys.REJECTED -> rejectedChanged(LineKeys.json(change.value()), change.resynchronized());
			case LineKeys.SET_POINT -> setPointChanged(LineKeys.json(change.value()), change.resynchronized());
			default -> {
			}
		}
	}

	private void readingChanged(String press, JsonNode reading) {
		synchronized (this.lock) {
			if (this.presses.read(press, reading)) {
				boolean joined = this.presses.contains(press);
				log(joined ? Kind.CHANGE : Kind.FAILURE, press + (joined ? " has joined the line." : " is gone."));
			}
		}
		notifyListeners(Part.MACHINES);
	}

	private void leaderChanged(KeyChange<Bytes> change) {
		synchronized (this.lock) {
			String news = this.term.lockChanged(change);
			if (news != null) {
				log(Kind.LEADER, news);
			}
		}
		notifyListeners(Part.LEADERSHIP);
		notifyListeners(Part.MACHINES);
	}

	private void batchChanged(JsonNode batch) {
		Version token = LineKeys.version(batch.path("token"));
		if (token != null) {
			synchronized (this.lock) {
				this.term.batchChanged(batch.path("leader").asString(""), token);
			}
			notifyListeners(Part.LEADERSHIP);
		}
	}

	private void rejectedChanged(JsonNode rejection, boolean initial) {
		synchronized (this.lock) {
			String news = this.rejected.changed(rejection, initial);
			if (news != null) {
				log(Kind.REJECTED, news);
			}
		}
		notifyListeners(Part.REJECTED);
	}

	private void setPointChanged(JsonNode value, boolean initial) {
		this.setPoint = value.isNumber() ? value.asDouble() : null;
		if (!initial) {
			log(Kind.CHANGE, value.isNumber() ? "The set point is " + value.asDouble() + " °C."
					: "The set point has been deleted.");
		}
		notifyListeners(Part.SET_POINT);
	}

	/** Called when a process of this control room or its cable has another state. */
	void processChanged(String press, State state, boolean connected) {
		synchronized (this.lock) {
			this.presses.process(press, state, connected);
		}
		notifyListeners(Part.MACHINES);
	}

	/**
	 * Called when a button has made it hard for a press to keep its lock.
	 * @param cause what has happened, such as "was paused"
	 */
	void trouble(String press, String cause) {
		synchronized (this.lock) {
			this.term.trouble(press, cause, Instant.now());
			this.rejected.trouble(press, cause);
		}
	}

	void log(Kind kind, String text) {
		synchronized (this.lock) {
			this.log.add(kind, text);
		}
		notifyListeners(Part.LOG);
	}

	void brokerAvailable(boolean available) {
		this.brokerAvailable = available;
		notifyListeners(Part.BROKER);
	}

	private void notifyListeners(Part part) {
		this.listeners.forEach((listener) -> listener.accept(part));
	}

	/** Returns the presses by name, without those that have disappeared. */
	List<Machine> machines() {
		synchronized (this.lock) {
			return this.presses.machines(this.term.leader());
		}
	}

	/** Returns the leader and its term. */
	Leadership leadership() {
		synchronized (this.lock) {
			return this.term.leadership();
		}
	}

	/** Returns all keys of the store, in alphabetical order. */
	List<StoredKey> keys() {
		return this.keys.keys();
	}

	/** Returns the number of changes of all keys since the start. */
	long changes() {
		return this.keys.changes();
	}

	/** Returns the set point in degrees Celsius, {@code null} if none is set. */
	@Nullable Double setPoint() {
		return this.setPoint;
	}

	/** Returns the last entries of the event log, oldest first, at most 200. */
	List<LogEntry> log() {
		synchronized (this.lock) {
			return this.log.entries();
		}
	}

	/** Returns the stale writes that the store has refused. */
	Rejected rejected() {
		synchronized (this.lock) {
			return this.rejected.rejected();
		}
	}

	/** Returns whether the control room is connected to the store. */
	boolean isBrokerAvailable() {
		return this.brokerAvailable;
	}

	/** Returns a short description of the broker. */
	String brokerName() {
		return this.brokerName;
	}

	/**
	 * Adds a listener, which is called after each change with the part that has changed.
	 * It runs on the thread that makes the change, and must not block.
	 */
	void onChange(Consumer<Part> listener) {
		this.listeners.add(listener);
	}

}
