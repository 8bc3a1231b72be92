package io.statestore.sample.room;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

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

	Line(String brokerName, Duration lease) {
		this.brokerName = brokerName;
		this.lease = lease;
	}

	private final String brokerName;

	private final Duration lease;

	/** Returns the presses by name, without those that have disappeared. */
	List<Machine> machines() {
		return new ArrayList<>();
	}

	/** Returns the leader and its term. */
	Leadership leadership() {
		return new Leadership(null, null, null, this.lease, null);
	}

	/** Returns all keys of the store, in alphabetical order. */
	List<StoredKey> keys() {
		return new ArrayList<>();
	}

	/** Returns the number of changes of all keys since the start. */
	long changes() {
		return 0;
	}

	/** Returns the set point in degrees Celsius, {@code null} if none is set. */
	@Nullable Double setPoint() {
		return null;
	}

	/** Returns the last entries of the event log, oldest first, at most 200. */
	List<LogEntry> log() {
		return new ArrayList<>();
	}

	/** Returns the stale writes that the store has refused. */
	Rejected rejected() {
		return new Rejected(0, null);
	}

	/** Returns whether the control room is connected to the store. */
	boolean isBrokerAvailable() {
		return true;
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
	}

}
