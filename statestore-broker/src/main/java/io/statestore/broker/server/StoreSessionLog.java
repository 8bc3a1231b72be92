package io.statestore.broker.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionConnection;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Sessions.Due;

/** Appends MQTT session changes to the command log. */
final class StoreSessionLog implements SessionLog {

	private final StateMachine machine;

	private final CommandLog log;

	private final LogClock clock;

	private final Proposer proposer;

	private final SerialExecutor serial;

	private final BooleanSupplier closed;

	/**
	 * Maximum of {@link #held}, which is half of the memory that store requests may hold.
	 */
	private final long maxHeld;

	/** Position of the last change. */
	private long last;

	/**
	 * Rejected changes to repeat once the disk has space. A change has no effect if its
	 * connection has ended in the meantime.
	 */
	private final Queue<SessionChange> rejected = new ArrayDeque<>();

	/** Estimated memory of the changes in flight, in bytes. */
	private volatile long held;

	/** Whether an {@link Expire} is in flight. */
	private boolean expiring;

	/**
	 * Creates a log.
	 * @param serial the serial executor, which executes everything except {@link #now}
	 * @param closed returns whether the server is closed or has failed
	 * @param maxHeld memory at which the store refuses requests, in bytes
	 */
	StoreSessionLog(Proposer proposer, SerialExecutor serial, BooleanSupplier closed, long maxHeld) {
		this.machine = proposer.machine();
		this.log = proposer.log();
		this.clock = proposer.logClock();
		this.proposer = proposer;
		this.serial = serial;
		this.closed = closed;
		this.maxHeld = maxHeld / 2;
	}

	@Override
	public void append(SessionChange change, Outcome outcome) {
		this.serial.execute(() -> propose(change, outcome));
	}

	private void propose(SessionChange change, Outcome outcome) {
		if (isDeposed()) {
			return;
		}
		boolean lasting = isLasting(change);
		Runnable rejection = lasting ? () -> rejected(change, outcome) : outcome.rejected();
		if (this.closed.getAsBoolean() || !this.log.isWritable() || this.held > this.maxHeld && !lasting
				&& !(change instanceof Expire) && !(change instanceof SessionChange.End)) {
			after(rejection, 0);
			return;
		}
		int bytes = CommandLog.OVERHEAD + change.cost();
		this.held += bytes;
		this.last = this.proposer.change(change, change.cost(), (applied) -> {
			this.held -= bytes;
			outcome.applied().accept(applied);
		}, () -> {
			this.held -= bytes;
			rejection.run();
		});
	}

	/**
	 * Returns whether this node no longer leads. Changes in flight then get no outcome,
	 * because a client would not repeat a refused change on the next leader.
	 */
	private boolean isDeposed() {
		return this.closed.getAsBoolean() && this.log.isReplicated();
	}

	/**
	 * Returns whether a change must take effect even if it was rejected, because its
	 * client does not repeat it. Otherwise, the session would keep messages, or even its
	 * connection.
	 */
	private static boolean isLasting(SessionChange change) {
		return change instanceof SessionChange.Acknowledge || change instanceof SessionChange.Release
				|| change instanceof SessionChange.Disconnect;
	}

	private void rejected(SessionChange change, Outcome outcome) {
		this.rejected.add(change);
		outcome.rejected().run();
	}

	private void repeatRejected() {
		while (!this.rejected.isEmpty() && !this.closed.getAsBoolean() && this.log.isWritable()) {
			propose(this.rejected.remove(), Outcome.NONE);
		}
	}

	@Override
	public void inOrder(Runnable action, int bytes) {
		this.serial.execute(() -> after(action, bytes));
	}

	private void after(Runnable action, int bytes) {
		// Once the log has failed, its entries never finish.
		if (!isDeposed() && (!this.closed.getAsBoolean() || !this.log.isBusy())) {
			this.log.after(this.last, action, bytes);
		}
	}

	@Override
	public boolean isCrowded() {
		return this.held > this.maxHeld / 2;
	}

	@Override
	public void attach(String clientId, long number, SessionConnection connection) {
		this.serial.execute(() -> sessions().attach(clientId, number, connection));
	}

	@Override
	public void expire(Predicate<String> denies) {
		List<Due> due = new ArrayList<>(1);
		this.serial.call(() -> {
			// This method is called periodically, so rejected changes are retried here.
			repeatRejected();
			long now = this.clock.now();
			if (!this.expiring && sessions().nextDeadline() <= now) {
				due.add(sessions().due(now));
			}
		});
		for (Due each : due) {
			// Checking permissions may take a while and must not delay other tasks.
			List<String> denied = each.wills().stream().filter(denies).toList();
			this.serial.execute(() -> proposeExpiry(new Expire(each.until(), denied)));
		}
	}

	private void proposeExpiry(Expire expire) {
		this.expiring = true;
		propose(expire, new Outcome((applied) -> this.expiring = false, () -> this.expiring = false));
	}

	@Override
	public Sessions sessions() {
		return this.machine.sessions();
	}

	@Override
	public long now() {
		return this.clock.read();
	}

}
