package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Predicate;

import io.statestore.broker.session.MemorySessionLog;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionConnection;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;

/** Keeps sessions in memory and delays changes on request, like a slow disk. */
final class HeldSessionLog implements SessionLog {

	private final MemorySessionLog log = new MemorySessionLog(System::nanoTime);

	private final Queue<Runnable> held = new ArrayDeque<>();

	private boolean holding;

	/** Delays all changes from now on. */
	synchronized void hold() {
		this.holding = true;
	}

	/** Applies the delayed changes immediately, and later changes without delay. */
	synchronized void release() {
		this.holding = false;
		this.held.forEach(Runnable::run);
		this.held.clear();
	}

	/** Returns the number of delayed changes. */
	synchronized int heldChanges() {
		return this.held.size();
	}

	private synchronized void execute(Runnable action) {
		if (this.holding) {
			this.held.add(action);
		}
		else {
			action.run();
		}
	}

	@Override
	public void append(SessionChange change, Outcome outcome) {
		execute(() -> this.log.append(change, outcome));
	}

	@Override
	public void inOrder(Runnable action, int bytes) {
		execute(action);
	}

	@Override
	public boolean isCrowded() {
		return false;
	}

	@Override
	public void attach(String clientId, long number, SessionConnection connection) {
		execute(() -> this.log.attach(clientId, number, connection));
	}

	@Override
	public void expire(Predicate<String> denies) {
		this.log.expire(denies);
	}

	@Override
	public Sessions sessions() {
		return this.log.sessions();
	}

	@Override
	public long now() {
		return this.log.now();
	}

}
