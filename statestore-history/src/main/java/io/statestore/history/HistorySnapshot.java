package io.statestore.history;

import java.util.Map;

import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/**
 * Content of a store at one version.
 *
 * @param entries entries by key
 * @param version version of the latest change
 * @param position position of the latest change, from which {@link HistoryQuery#after}
 * continues
 */
public record HistorySnapshot(Map<Bytes, Entry> entries, Version version, Position position) {

	public HistorySnapshot {
		entries = Map.copyOf(entries);
	}

	/**
	 * Value of a key.
	 *
	 * @param value the value
	 * @param version version of the change that set the value
	 */
	public record Entry(Bytes value, Version version) {
	}

}
