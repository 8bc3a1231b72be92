package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.time.Activity;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes the removal of expired keys (protocol section 6). At most one task is
 * scheduled at a time, for the next deadline. Used only within the serial executor.
 */
final class ExpiryTimer {

	private static final Logger logger = LoggerFactory.getLogger(ExpiryTimer.class);

	/**
	 * Maximum log time, in nanoseconds, between two entries while any key or session has
	 * an expiry. A crash loses at most this much log time and delays expiries by the same
	 * amount.
	 */
	static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** Delay while a new leader's log time is behind an earlier leader's. */
	private static final long BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long NEVER = Long.MAX_VALUE;

	private final StateMachine machine;

	private final CommandLog log;

	private final LogClock clock;

	private final Proposer proposer;

	private final SerialExecutor serial;

	private final ScheduledExecutorService scheduler;

	private final TimeSource time;

	/** Tracks expiry entries in flight. */
	private final Activity expiring;

	private final Runnable afterward;

	/** Log time of the scheduled task. */
	private long planned = NEVER;

	private @Nullable Future<?> task;

	/**
	 * Whether an expiry entry is in flight, or a task to propose one has been submitted.
	 */
	private boolean running;

	private boolean closed;

	/**
	 * Creates a timer.
	 * @param time measures the delays of the scheduler
	 * @param afterward runs after keys have expired
	 */
	ExpiryTimer(Proposer proposer, SerialExecutor serial, ScheduledExecutorService scheduler, TimeSource time,
			Runnable afterward) {
		this.machine = proposer.machine();
		this.log = proposer.log();
		this.clock = proposer.logClock();
		this.proposer = proposer;
		this.serial = serial;
		this.scheduler = time.timer(scheduler);
		this.time = time;
		this.expiring = time.activity("expiries of the server");
		this.afterward = afterward;
	}

	/**
	 * Schedules the next deadline. Must be called after every operation that may set a
	 * deadline.
	 */
	void update() {
		long next = next();
		if (next < this.planned && !this.running && !this.closed) {
			schedule(next, next - this.clock.now());
		}
	}

	private long next() {
		long deadline = this.machine.nextDeadline();
		boolean expires = deadline != NEVER || this.machine.sessions().nextDeadline() != NEVER;
		return (expires && this.log.isDurable()) ? Math.min(deadline, this.machine.logTime() + HEARTBEAT_NANOS)
				: deadline;
	}

	private boolean isHeartbeatDue(long now) {
		return this.machine.logTime() + HEARTBEAT_NANOS <= now;
	}

	private void schedule(long logTime, long delay) {
		cancel();
		try {
			this.task = this.scheduler.schedule(this::submit, Math.max(0, delay), TimeUnit.NANOSECONDS);
			this.planned = logTime;
		}
		catch (RejectedExecutionException ex) {
			// The scheduler will not accept later tasks either.
			this.closed = true;
			logger.warn("The server's scheduler is shut down. Keys still expire, but watchers are not notified in "
					+ "time. If the server is not stopping, restart it");
		}
	}

	/** Ends expiry. Tasks that are already scheduled have no effect. */
	void close() {
		this.closed = true;
		this.expiring.close();
		cancel();
	}

	private void cancel() {
		if (this.task != null) {
			this.task.cancel(false);
			this.task = null;
		}
		this.planned = NEVER;
	}

	private void submit() {
		this.serial.execute(this.time.tracked(this::expire));
	}

	private void expire() {
		cancel();
		this.running = false;
		if (this.closed) {
			return;
		}
		long now = this.clock.now();
		List<Bytes> keys = this.machine.due(now, LogEntry.Expire.MAX_KEYS);
		if (keys.isEmpty() && this.log.isReplicated() && next() <= now && !isHeartbeatDue(now)) {
			// The log time was ahead when this node led earlier.
			schedule(0, BEHIND_NANOS);
		}
		else if (!keys.isEmpty() || next() <= now) {
			this.running = true;
			this.expiring.add(1);
			this.proposer.expire(keys, 0, this::expired, this::rejected);
		}
		else {
			update();
		}
	}

	private void expired() {
		this.running = false;
		if (next() <= this.clock.now()) {
			this.running = true;
			submit();
		}
		else {
			update();
		}
		this.afterward.run();
		this.expiring.add(-1);
	}

	/**
	 * Tries again later, because the log rejected the entry, for example while the disk
	 * is full.
	 */
	private void rejected() {
		if (!this.closed) {
			schedule(NEVER, RETRY_NANOS);
		}
		this.expiring.add(-1);
	}

}
