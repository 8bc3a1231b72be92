package io.statestore.broker.session;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.statestore.broker.session.Sessions.Due;

/**
 * A log that stores nothing and applies each change immediately.
 * <p>
 * Internal: not part of the API.
 */
public final class MemorySessionLog implements SessionLog {

	private final Sessions sessions = new Sessions();

	private final LongSupplier nanoTime;

	private final long start;

	/**
	 * Creates a log without sessions.
	 * @param nanoTime returns the monotonic time in nanoseconds
	 */
	public MemorySessionLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.start = nanoTime.getAsLong();
	}

	@Override
	public void append(SessionChange change, Outcome outcome) {
		Applied applied;
		synchronized (this) {
			applied = this.sessions.apply(change, now());
		}
		outcome.applied().accept(applied);
	}

	@Override
	public synchronized void inOrder(Runnable action, int bytes) {
		action.run();
	}

	@Override
	public boolean isCrowded() {
		return false;
	}

	@Override
	public synchronized void attach(String clientId, long number, SessionConnection connection) {
		this.sessions.attach(clientId, number, connection);
	}

	@Override
	public void expire(Predicate<String> denies) {
		Due due;
		synchronized (this) {
			due = this.sessions.due(now());
		}
		if (due.until() >= 0) {
			List<String> denied = due.wills().stream().filter(denies).toList();
			append(new SessionChange.Expire(due.until(), denied), Outcome.NONE);
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
