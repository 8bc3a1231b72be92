package io.statestore.protocol;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock (protocol section 4; Kulkarni et al., "Logical Physical Clocks",
 * OPODIS 2014). It follows the system clock. Each reading is greater than all earlier
 * readings and all received readings.
 * <p>
 * Thread-safe.
 */
public final class HybridLogicalClock {

	/** How far a received reading may be ahead of the system clock. */
	public static final Duration MAX_DRIFT = Duration.ofSeconds(60);

	/**
	 * Maximum counter value carried into a new millisecond. Without this limit, a sender
	 * that merges every reply while its system clock is behind would raise the counter
	 * indefinitely.
	 */
	private static final int MAX_CARRIED_COUNTER = 999;

	private final LongSupplier wallClock;

	private final String nodeId;

	private long wallMillis;

	private int counter;

	/**
	 * Creates a clock without earlier readings.
	 * @param nodeId the node id for all readings; must not be empty or contain a colon
	 * @param wallClock supplies the time in milliseconds since 1970, such as
	 * {@code System::currentTimeMillis}
	 */
	public HybridLogicalClock(String nodeId, LongSupplier wallClock) {
		this(new Version(0, 0, nodeId), wallClock);
	}

	/**
	 * Creates a clock that continues after an earlier reading.
	 * @param last the earlier reading; all new readings are greater and have its node id
	 * @param wallClock supplies the time in milliseconds since 1970
	 */
	public HybridLogicalClock(Version last, LongSupplier wallClock) {
		this.nodeId = last.nodeId();
		this.wallMillis = last.wallMillis();
		this.counter = last.counter();
		this.wallClock = wallClock;
	}

	/**
	 * Returns the reading for a local event. The counter starts at 0 in each millisecond.
	 * Once the counter of a millisecond is exhausted, the next millisecond starts early.
	 * @return a reading greater than all earlier and all received readings
	 */
	public synchronized Version tick() {
		return tick(0);
	}

	/**
	 * Returns the reading for an event caused by a received reading, such as the version
	 * of a requested change. Pass the received reading to {@link #receive} first.
	 * <p>
	 * When the millisecond advances, the counter continues from the received counter, so
	 * that the result does not depend on the request's transit time.
	 * @param received the reading in the request
	 * @return a reading greater than all earlier and all received readings
	 */
	public synchronized Version tickAfter(Version received) {
		return tick((received.counter() <= MAX_CARRIED_COUNTER) ? received.counter() + 1 : 0);
	}

	private Version tick(int firstCounter) {
		long now = this.wallClock.getAsLong();
		if (now > this.wallMillis) {
			this.wallMillis = now;
			this.counter = firstCounter;
		}
		else if (this.counter < Integer.MAX_VALUE) {
			this.counter++;
		}
		else {
			this.wallMillis++;
			this.counter = firstCounter;
		}
		return new Version(this.wallMillis, this.counter, this.nodeId);
	}

	/**
	 * Returns the latest reading without creating a new reading. A clock that continues
	 * after it behaves like this clock.
	 * @return the latest reading that this clock created or merged, with its node id
	 */
	public synchronized Version last() {
		return new Version(this.wallMillis, this.counter, this.nodeId);
	}

	/**
	 * Returns whether a received reading is too far ahead to be merged: it is later than
	 * all of this clock's readings, and more than {@link #MAX_DRIFT} ahead of the system
	 * clock. This clock's own readings therefore remain acceptable after the system clock
	 * is set back. A sender can advance this clock by at most {@link #MAX_DRIFT}.
	 * @param received another clock's reading
	 * @return whether {@link #receive} would refuse it
	 */
	public synchronized boolean isTooFarAhead(Version received) {
		return isTooFarAhead(received, this.wallClock.getAsLong());
	}

	private boolean isTooFarAhead(Version received, long now) {
		return received.wallMillis() > this.wallMillis && received.wallMillis() - now > MAX_DRIFT.toMillis();
	}

	/**
	 * Merges a received reading, so that this clock's later readings are greater. Merging
	 * does not advance the counter.
	 * @param received another clock's reading
	 * @throws ProtocolException with {@link ErrorReason#TIMESTAMP_TOO_FAR_IN_FUTURE} if
	 * the reading is too far ahead, or with {@link ErrorReason#MALFORMED_TIMESTAMP} if it
	 * is the latest reading and its counter leaves no room for another event. The clock
	 * is unchanged in both cases
	 */
	public synchronized void receive(Version received) {
		long now = this.wallClock.getAsLong();
		if (isTooFarAhead(received, now)) {
			throw new ProtocolException(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
		if (received.wallMillis() < this.wallMillis) {
			return;
		}
		if (received.counter() == Integer.MAX_VALUE && received.wallMillis() >= now) {
			throw new ProtocolException(ErrorReason.MALFORMED_TIMESTAMP);
		}
		boolean later = received.wallMillis() > this.wallMillis;
		this.counter = later ? received.counter() : Math.max(this.counter, received.counter());
		this.wallMillis = received.wallMillis();
	}

}
