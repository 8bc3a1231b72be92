package io.statestore.sample.room;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a page shows at one moment.
 *
 * @param machines the presses
 * @param leadership the leader
 * @param setpoint the setpoint
 * @param rejected the stale writes
 * @param keys the keys, without those that are too many for a page
 * @param keyCount the number of all keys
 * @param log the event log, oldest first
 * @param changes the number of changes of all keys
 * @param available whether the broker is available
 * @param canPause whether processes can be paused
 * @param brokers the three brokers, none if there is one
 */
record PageState(List<Machine> machines, Leadership leadership, @Nullable Double setpoint, Rejected rejected,
		List<StoredKey> keys, int keyCount, List<LogEntry> log, long changes, boolean available, boolean canPause,
		List<BrokerState> brokers) {

	static final int MAX_KEYS = 500;

	static PageState of(Line line, LineControl control) {
		// Before the keys, so that none of the changes that the page counts is missing.
		long changes = line.changes();
		List<StoredKey> keys = line.keys();
		return new PageState(List.copyOf(line.machines()), line.leadership(), line.setpoint(), line.rejected(),
				List.copyOf(keys.subList(0, Math.min(keys.size(), MAX_KEYS))), keys.size(), List.copyOf(line.log()),
				changes, line.isBrokerAvailable(), control.canPause(), line.brokers());
	}

	/** Returns the number of keys that the page does not show. */
	public int hiddenKeys() {
		return this.keyCount - this.keys.size();
	}

	/** Returns the number of the latest entry of the log, 0 if it is empty. */
	public long lastEntry() {
		return this.log.isEmpty() ? 0 : this.log.get(this.log.size() - 1).number();
	}

}
