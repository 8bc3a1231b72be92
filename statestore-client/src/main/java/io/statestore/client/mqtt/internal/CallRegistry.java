package io.statestore.client.mqtt.internal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an invoker, until the store no longer has to process them. Limits those
 * that wait for room, a connection, or a reply. Urgent calls have a limit of their own,
 * so that neither kind of calls can displace the other. Thread-safe.
 */
final class CallRegistry {

	/** Unfinished and abandoned calls, by the correlation data of their next reply. */
	private final ConcurrentHashMap<Bytes, Call> calls = new ConcurrentHashMap<>();

	/** Number of unfinished ordinary calls. */
	private final AtomicInteger ordinary = new AtomicInteger();

	/** Number of unfinished urgent calls. */
	private final AtomicInteger urgent = new AtomicInteger();

	/** Size of the unfinished ordinary calls in bytes. */
	private final AtomicLong ordinaryBytes = new AtomicLong();

	private final int maxCount;

	private final long maxBytes;

	/**
	 * @param maxCount maximum number of unfinished calls of each kind
	 * @param maxBytes maximum size of all unfinished ordinary calls in bytes
	 */
	CallRegistry(int maxCount, long maxBytes) {
		this.maxCount = maxCount;
		this.maxBytes = maxBytes;
	}

	/**
	 * Adds a call unless it would exceed a limit. A call larger than the limit is
	 * accepted if no other call is pending.
	 * @return {@code null} if it was added, otherwise the reason
	 */
	@Nullable String add(Call call) {
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
		this.calls.put(call.correlationData(), call);
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

	/**
	 * Called before a call changes its correlation data, because a reply to its earlier
	 * request must not reach it.
	 */
	void resending(Call call, Bytes correlationData) {
		this.calls.put(correlationData, call);
		this.calls.remove(call.correlationData());
	}

	/** Returns the call that a reply belongs to, {@code null} if there is none. */
	@Nullable Call find(Bytes correlationData) {
		return this.calls.get(correlationData);
	}

	/** Called once, when a call finishes. It remains until it is settled. */
	void finished(Call call) {
		countOf(call).decrementAndGet();
		if (!call.isUrgent()) {
			this.ordinaryBytes.addAndGet(-call.size());
		}
	}

	/** Removes a call that the store no longer has to process. */
	void settled(Call call) {
		this.calls.remove(call.correlationData());
	}

	/** Returns the number of unfinished calls of both kinds. */
	int pendingCount() {
		return this.ordinary.get() + this.urgent.get();
	}

	void forEach(Consumer<Call> action) {
		this.calls.values().forEach(action);
	}

	/** Calls a function for each call, and returns its least result. */
	long min(ToLongFunction<Call> function, long limit) {
		return this.calls.values().stream().mapToLong(function).reduce(limit, Math::min);
	}

	/** Returns whether there is neither an unfinished nor an abandoned call. */
	boolean isEmpty() {
		return this.calls.isEmpty();
	}

	private AtomicInteger countOf(Call call) {
		return call.isUrgent() ? this.urgent : this.ordinary;
	}

}
