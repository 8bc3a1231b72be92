package io.statestore.sample.room;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Readings of the presses, and the states of their processes. Not thread-safe. */
final class PressTable {

	private static final int MAX_TEMPERATURES = 60;

	/** Any client can write readings, so that there could be very many. */
	private static final int MAX_PRESSES = 50;

	private final Map<String, Row> rows = new TreeMap<>();

	/**
	 * Stores a reading. Ignores further presses if there are 50.
	 * @param reading missing if the key has expired
	 * @return {@code true} if a press that was started elsewhere has appeared or is gone
	 */
	boolean read(String press, JsonNode reading) {
		Row row = this.rows.get(press);
		if (reading.isObject()) {
			boolean known = row != null;
			if (!known && this.rows.size() >= MAX_PRESSES) {
				return false;
			}
			row = (row != null) ? row : add(press);
			row.reading = reading;
			row.temperatures.addLast(reading.path("temperature").asDouble(0));
			if (row.temperatures.size() > MAX_TEMPERATURES) {
				row.temperatures.removeFirst();
			}
			row.present = true;
			return !known;
		}
		if (row == null) {
			return false;
		}
		row.present = false;
		return row.process == null && this.rows.remove(press) != null;
	}

	/**
	 * Stores the state of a process of this control room.
	 * @param pid its process ID, 0 before its first start
	 */
	void process(String press, long pid, State state, boolean connected) {
		Row row = this.rows.get(press);
		row = (row != null) ? row : add(press);
		row.pid = pid;
		row.process = state;
		row.connected = connected;
	}

	private Row add(String press) {
		Row row = new Row();
		this.rows.put(press, row);
		return row;
	}

	boolean contains(String press) {
		return this.rows.containsKey(press);
	}

	List<Machine> machines(@Nullable String leader) {
		return this.rows.entrySet()
			.stream()
			.map((entry) -> entry.getValue().machine(entry.getKey(), entry.getKey().equals(leader)))
			.toList();
	}

	private static final class Row {

		private JsonNode reading = LineKeys.json(null);

		private final Deque<Double> temperatures = new ArrayDeque<>();

		/** Whether the store has a reading. */
		private boolean present;

		/** State of the process, {@code null} if it was started elsewhere. */
		private @Nullable State process;

		private long pid;

		private boolean connected = true;

		private Machine machine(String name, boolean leader) {
			return new Machine(name, this.reading.path("temperature").asDouble(0),
					this.reading.path("packsPerMinute").asDouble(0), this.reading.path("packs").asLong(0), leader,
					state(), this.connected, List.copyOf(this.temperatures));
		}

		private State state() {
			if (this.process == null) {
				return State.ELSEWHERE;
			}
			if (this.process != State.RUNNING) {
				return this.process;
			}
			// The store keeps the reading of a former process for a while.
			boolean current = this.present && this.reading.path("pid").asLong(0) == this.pid;
			return current ? State.RUNNING : State.SILENT;
		}

	}

}
