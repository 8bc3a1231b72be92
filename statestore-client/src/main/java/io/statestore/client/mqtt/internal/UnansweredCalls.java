package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.statestore.client.mqtt.internal.FlowControl.Outgoing;

/**
 * Calls in flight. Limits the ordinary ones, because the store answers in order, and an
 * urgent call waits for all calls sent before it. Not thread-safe.
 */
final class UnansweredCalls {

	/** Maximum size of the ordinary calls. Its transfer takes 0.8 s at 10 Mbit/s. */
	static final int MAX_ORDINARY_BYTES = 1024 * 1024;

	/** Number of ordinary calls that a store gets even if it is slow. */
	static final int MIN_ORDINARY = 64;

	/** Maximum age of the oldest ordinary call while further ones are sent. */
	private static final long MAX_ORDINARY_AGE = Duration.ofMillis(100).toNanos();

	/** Time after an urgent call during which {@link #MAX_ORDINARY_AGE} applies. */
	private static final long URGENT_PERIOD = Duration.ofMinutes(1).toNanos();

	private final LongSupplier clock;

	private final int maxOrdinary;

	private final Set<Outgoing> urgent = new HashSet<>();

	/** Ordinary calls, with the time at which they were sent. */
	private final Map<Outgoing, Long> ordinary = new LinkedHashMap<>();

	private long ordinaryBytes;

	/** Time until which {@link #MAX_ORDINARY_AGE} applies. */
	private long urgentUntil;

	/**
	 * @param clock monotonic clock in nanoseconds
	 * @param maxOrdinary maximum number of ordinary calls
	 */
	UnansweredCalls(LongSupplier clock, int maxOrdinary) {
		this.clock = clock;
		this.maxOrdinary = maxOrdinary;
		this.urgentUntil = clock.getAsLong();
	}

	/**
	 * Returns whether an ordinary call may be sent now. Without other ordinary calls, it
	 * may be of any size.
	 */
	boolean hasRoomFor(Outgoing call) {
		int count = this.ordinary.size();
		if (count == 0) {
			return true;
		}
		return count < this.maxOrdinary && this.ordinaryBytes + call.size() <= MAX_ORDINARY_BYTES
				&& (count < MIN_ORDINARY || !isSlow());
	}

	/** Returns whether an urgent call sent now would wait too long for ordinary ones. */
	private boolean isSlow() {
		long now = this.clock.getAsLong();
		return now - this.urgentUntil < 0 && now - this.ordinary.values().iterator().next() > MAX_ORDINARY_AGE;
	}

	void add(Outgoing call) {
		long now = this.clock.getAsLong();
		if (call.isUrgent()) {
			this.urgent.add(call);
			this.urgentUntil = now + URGENT_PERIOD;
		}
		else if (this.ordinary.put(call, now) == null) {
			this.ordinaryBytes += call.size();
		}
	}

	/**
	 * Removes a call.
	 * @return whether the call was in flight
	 */
	boolean remove(Outgoing call) {
		if (call.isUrgent()) {
			return this.urgent.remove(call);
		}
		boolean removed = this.ordinary.remove(call) != null;
		this.ordinaryBytes -= removed ? call.size() : 0;
		return removed;
	}

	void clear() {
		this.urgent.clear();
		this.ordinary.clear();
		this.ordinaryBytes = 0;
	}

	boolean isEmpty() {
		return this.urgent.isEmpty() && this.ordinary.isEmpty();
	}

}
