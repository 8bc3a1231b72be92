package io.statestore.broker.session;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.statestore.broker.session.Sessions.Connected;
import org.jspecify.annotations.Nullable;

/**
 * A log that keeps nothing: applies each change at once.
 * <p>
 * Internal: not part of the API.
 */
public final class MemorySessionLog implements SessionLog {

	private final Sessions sessions = new Sessions();

	private final LongSupplier nanoTime;

	private final long start;

	/**
	 * Creates a log without sessions.
	 * @param nanoTime returns monotonic time in nanoseconds
	 */
	public MemorySessionLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.start = nanoTime.getAsLong();
	}

	@Override
	public void append(SessionChange change, Outcome outcome) {
		@Nullable Connected connected;
		synchronized (this) {
			connected = this.sessions.apply(change, now());
		}
		outcome.applied(connected);
	}

	@Override
	public synchronized void attach(String clientId, long number, SessionConnection connection) {
		this.sessions.attach(clientId, number, connection);
	}

	@Override
	public void expire(Predicate<String> denies) {
		synchronized (this) {
			long now = now();
			if (this.sessions.nextDeadline() <= now) {
				List<String> denied = this.sessions.dueWills(now)
					.stream()
					.map(Session::clientId)
					.filter(denies)
					.toList();
				this.sessions.apply(new SessionChange.Expire(denied), now);
			}
		}
	}

	@Override
	public Sessions sessions() {
		return this.sessions;
	}

	@Override
	public long now() {
		return this.nanoTime.getAsLong() - this.start;
	}

}
