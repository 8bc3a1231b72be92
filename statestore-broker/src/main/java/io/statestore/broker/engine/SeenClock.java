package io.statestore.broker.engine;

import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The latest clock reading received with commands that are not logged, such as GET. A
 * read does not change the state machine, so the reading is merged by the next entry of
 * the log (protocol section 10). Belongs to the proposer; used by the thread of the
 * machine only.
 */
public final class SeenClock {

	private final StateMachine machine;

	/** Latest reading, {@code null} if the machine is known to have merged it. */
	private @Nullable Version latest;

	/**
	 * Creates a clock without a reading.
	 * @param machine the machine that applies the entries
	 */
	public SeenClock(StateMachine machine) {
		this.machine = machine;
	}

	/**
	 * Receives the timestamp of a command that is not logged. Ignores it if it is absent,
	 * malformed, or more than 60 s ahead of both the system clock and the machine.
	 * @param timestamp the text of {@code __ts}, or {@code null} if absent
	 * @param wallMillis the system clock in milliseconds since 1970
	 */
	public void receive(@Nullable String timestamp, long wallMillis) {
		if (timestamp == null) {
			return;
		}
		try {
			Version pending = pending();
			HybridLogicalClock clock = new HybridLogicalClock((pending != null) ? pending : this.machine.lastVersion(),
					() -> wallMillis);
			clock.receive(Version.parse(timestamp));
			this.latest = clock.last();
		}
		catch (ProtocolException ex) {
			// Ignored, because the command does not require a timestamp.
		}
	}

	/**
	 * Returns the reading for the next entry, see {@link LogEntry#seen()}. Further entries
	 * may carry the same reading until the first of them is applied.
	 * @return the latest reading, or {@code null} if the machine is not behind it
	 */
	public @Nullable Version pending() {
		if (this.latest != null && this.latest.compareTo(this.machine.lastVersion()) <= 0) {
			this.latest = null;
		}
		return this.latest;
	}

}
