package io.statestore.protocol;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock (protocol section 4): follows the wall clock, and is never
 * behind what it has given or received. Every reading is greater than all earlier ones.
 * <p>
 * Safe for use by several threads.
 */
public final class HybridLogicalClock {

	/** How far ahead of the system clock a received reading may be. */
	public static final Duration MAX_DRIFT = Duration.ofSeconds(60);

	private final LongSupplier wallClock;

	private final String nodeId;

	private long wallMillis;

	private int counter;

	/**
	 * @param nodeId who reads; not empty, without colon
	 * @param wallClock milliseconds since 1970, such as {@code System::currentTimeMillis}
	 */
	public HybridLogicalClock(String nodeId, LongSupplier wallClock) {
		this(new Version(0, 0, nodeId), wallClock);
	}

	/**
	 * Go on after the last reading of an earlier life.
	 * @param last every new reading is greater than this one, and has its node id
	 * @param wallClock milliseconds since 1970
	 */
	public HybridLogicalClock(Version last, LongSupplier wallClock) {
		this.nodeId = last.nodeId();
		this.wallMillis = last.wallMillis();
		this.counter = last.counter();
		this.wallClock = wallClock;
	}

	/**
	 * Read the clock for an event of our own. Where the counter of one millisecond is
	 * used up, the next millisecond begins early.
	 */
	public synchronized Version tick() {
		long now = this.wallClock.getAsLong();
		if (now > this.wallMillis) {
			this.wallMillis = now;
			this.counter = 0;
		}
		else if (this.counter < Integer.MAX_VALUE) {
			this.counter++;
		}
		else {
			this.wallMillis++;
			this.counter = 0;
		}
		return new Version(this.wallMillis, this.counter, this.nodeId);
	}

	/** Whether a received reading is further ahead than {@link #MAX_DRIFT} allows. */
	public boolean isTooFarAhead(Version received) {
		return isTooFarAhead(received, this.wallClock.getAsLong());
	}

	private static boolean isTooFarAhead(Version received, long now) {
		return received.wallMillis() - now > MAX_DRIFT.toMillis();
	}

	/**
	 * Move past a received reading. Where our own counter is used up by that, the next
	 * millisecond begins early: it is not the fault of who sent this reading.
	 * @throws ProtocolException {@link ErrorReason#TIMESTAMP_TOO_FAR_IN_FUTURE} if it is
	 * too far ahead, {@link ErrorReason#MALFORMED_TIMESTAMP} if it is the latest known
	 * and its counter leaves no room for another event; the clock is unchanged then
	 */
	public synchronized void receive(Version received) {
		long now = this.wallClock.getAsLong();
		if (isTooFarAhead(received, now)) {
			throw new ProtocolException(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
		long latest = Math.max(now, Math.max(this.wallMillis, received.wallMillis()));
		int last = (latest == this.wallMillis) ? this.counter : -1;
		if (latest == received.wallMillis()) {
			if (received.counter() == Integer.MAX_VALUE) {
				throw new ProtocolException(ErrorReason.MALFORMED_TIMESTAMP);
			}
			last = Math.max(last, received.counter());
		}
		boolean full = last == Integer.MAX_VALUE;
		this.wallMillis = full ? latest + 1 : latest;
		this.counter = full ? 0 : last + 1;
	}

}
