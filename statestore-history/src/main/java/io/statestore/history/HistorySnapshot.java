package io.statestore.history;

import java.util.Map;

import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/**
 * What a store held at one moment.
 *
 * @param entries its keys
 * @param version the version of the last change that is in it
 * @param position and its place; {@link HistoryQuery#after} goes on from there
 */
public record HistorySnapshot(Map<Bytes, Entry> entries, Version version, Position position) {

	public HistorySnapshot {
		entries = Map.copyOf(entries);
	}

	/**
	 * A key that was there.
	 *
	 * @param value its value
	 * @param version the version of the change that set it
	 */
	public record Entry(Bytes value, Version version) {
	}

}
