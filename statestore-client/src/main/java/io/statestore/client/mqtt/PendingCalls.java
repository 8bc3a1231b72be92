package io.statestore.client.mqtt;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Limits the calls that wait for room, a connection, or a reply. Urgent calls have a
 * limit of their own, so that neither kind of calls can displace the other. Thread-safe.
 */
final class PendingCalls {

	private final AtomicInteger ordinary = new AtomicInteger();

	private final AtomicInteger urgent = new AtomicInteger();

	/** Size of the ordinary calls in bytes. */
	private final AtomicLong ordinaryBytes = new AtomicLong();

	private final int maxCount;

	private final long maxBytes;

	/**
	 * @param maxCount maximum number of calls of each kind
	 * @param maxBytes maximum size of all ordinary calls in bytes
	 */
	PendingCalls(int maxCount, long maxBytes) {
		this.maxCount = maxCount;
		this.maxBytes = maxBytes;
	}

	/**
	 * Adds a call unless it would exceed a limit. A call larger than the limit is
	 * accepted if no other call is pending.
	 * @return {@code null} if it was added, otherwise the reason
	 */
	@Nullable String add(FlowControl.Outgoing call) {
		AtomicInteger count = countOf(call);
		if (count.incrementAndGet() > this.maxCount) {
			count.decrementAndGet();
			return this.maxCount + " calls are pending: " + text(ConnectionDiagnosis.TOO_MANY_CALLS);
		}
		if (!call.isUrgent() && !addBytes(call.size())) {
			count.decrementAndGet();
			return "A call of " + call.size() + " bytes does not fit, as pending calls may have " + this.maxBytes
					+ " bytes together: " + text(ConnectionDiagnosis.TOO_MANY_BYTES);
		}
		return null;
	}

	private boolean addBytes(int size) {
		long before;
		do {
			before = this.ordinaryBytes.get();
			if (before > 0 && before + size > this.maxBytes) {
				return false;
			}
		}
		while (!this.ordinaryBytes.compareAndSet(before, before + size));
		return true;
	}

	private static String text(ConnectionDiagnosis diagnosis) {
		return diagnosis.cause() + ". " + diagnosis.nextStep();
	}

	/** Removes a call that was added. */
	void remove(FlowControl.Outgoing call) {
		countOf(call).decrementAndGet();
		if (!call.isUrgent()) {
			this.ordinaryBytes.addAndGet(-call.size());
		}
	}

	/** Returns the number of calls of both kinds. */
	int count() {
		return this.ordinary.get() + this.urgent.get();
	}

	private AtomicInteger countOf(FlowControl.Outgoing call) {
		return call.isUrgent() ? this.urgent : this.ordinary;
	}

}
