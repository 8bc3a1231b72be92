package io.statestore.broker.engine;

import java.util.function.LongSupplier;

import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The latest clock reading received with commands that are not logged, such as GET. A
 * read does not change the state machine, so the reading is merged by the next entry of
 * the log (protocol section 10). Belongs to the proposer. Used only by the machine's
 * thread.
 */
public final class SeenClock {

	private final StateMachine machine;

	/** Reading of the system clock for the current command. */
	private long now;

	private final LongSupplier wallClock = () -> this.now;

	/** Merges the readings. */
	private HybridLogicalClock clock;

	/** Whether {@link #clock} may be ahead of the machine. */
	private boolean ahead;

	/**
	 * Creates a clock without a reading.
	 * @param machine the machine that applies the entries
	 */
	public SeenClock(StateMachine machine) {
		this.machine = machine;
		this.clock = new HybridLogicalClock(machine.lastVersion(), this.wallClock);
	}

	/**
	 * Receives the timestamp of a command that is not logged. Ignores it if it is absent,
	 * malformed, or more than 60 s ahead of both the system clock and the machine.
	 * @param timestamp the text of {@code __ts}, or {@code null} if absent
	 * @param wallMillis the system clock, in milliseconds since 1970
	 */
	public void receive(@Nullable String timestamp, long wallMillis) {
		if (timestamp == null) {
			return;
		}
		this.now = wallMillis;
		Version last = this.machine.lastVersion();
		try {
			Version received = Version.parse(timestamp);
			if (received.compareTo(last) <= 0) {
				return;
			}
			if (last.compareTo(this.clock.last()) > 0) {
				this.clock = new HybridLogicalClock(last, this.wallClock);
			}
			this.clock.receive(received);
			this.ahead = true;
		}
		catch (ProtocolException ex) {
			// Ignored, because the command does not require a timestamp.
		}
	}

	/**
	 * Returns the reading for the next entry, see {@link LogEntry#seen()}. Several
	 * entries may carry the same reading until the first of them is applied.
	 * @return the latest reading, or {@code null} if the machine has caught up with it
	 */
	public @Nullable Version pending() {
		if (!this.ahead) {
			return null;
		}
		Version seen = this.clock.last();
		this.ahead = seen.compareTo(this.machine.lastVersion()) > 0;
		return this.ahead ? seen : null;
	}

}
