package io.statestore.client.mqtt;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** The calls of an invoker, by state and by correlation data. Thread-safe. */
final class CallRegistry implements Call.Tracker {

	private final PendingCalls pending;

	/** Calls that have not finished. */
	private final Set<Call> live = ConcurrentHashMap.newKeySet();

	/**
	 * Calls that have ended while the store may still have to process them. Each keeps
	 * its place among the calls in flight until its reply, a refusal by the broker, or
	 * the loss of the connection. The place ends at the latest a second after the
	 * deadline.
	 */
	private final Set<Call> abandoned = ConcurrentHashMap.newKeySet();

	/** Calls in flight, by correlation data. */
	private final ConcurrentHashMap<Bytes, Call> inFlight = new ConcurrentHashMap<>();

	CallRegistry(PendingCalls pending) {
		this.pending = pending;
	}

	/**
	 * Adds a call unless it would exceed a limit.
	 * @return {@code null} if it was added, otherwise the reason
	 */
	@Nullable String add(Call call) {
		String excess = this.pending.add(call);
		if (excess == null) {
			this.live.add(call);
		}
		return excess;
	}

	/** Returns the number of calls that wait for room, a connection, or a reply. */
	int pendingCount() {
		return this.pending.count();
	}

	/** Removes and returns the call that waits for a reply, {@code null} if none does. */
	@Nullable Call removeInFlight(Bytes correlationData) {
		return this.inFlight.remove(correlationData);
	}

	void forEachLive(Consumer<Call> action) {
		this.live.forEach(action);
	}

	/** Calls a function for each unfinished call, and returns its least result. */
	long minOfLive(ToLongFunction<Call> function, long limit) {
		return this.live.stream().mapToLong(function).reduce(limit, Math::min);
	}

	void forEachAbandoned(Consumer<Call> action) {
		this.abandoned.forEach(action);
	}

	/** Returns whether there is neither an unfinished nor an abandoned call. */
	boolean isEmpty() {
		return this.live.isEmpty() && this.abandoned.isEmpty();
	}

	@Override
	public void sending(Call call, Bytes correlationData) {
		this.inFlight.put(correlationData, call);
	}

	@Override
	public void replyNotExpected(Bytes correlationData) {
		this.inFlight.remove(correlationData);
	}

	@Override
	public void abandoned(Call call) {
		this.abandoned.add(call);
	}

	@Override
	public void settled(Call call) {
		this.abandoned.remove(call);
	}

	@Override
	public void finished(Call call) {
		if (this.live.remove(call)) {
			this.pending.remove(call);
		}
	}

}
