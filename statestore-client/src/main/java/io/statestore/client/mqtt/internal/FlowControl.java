package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.time.Activity;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends publishes over a connection, one at a time, and at most as many as the broker
 * accepts without an acknowledgment (MQTT 5 section 4.9). Further publishes wait in order
 * of arrival, also while there is no connection.
 * <p>
 * Urgent publishes, such as renewals of locks, are sent before all ordinary ones that
 * wait. A sixteenth of the broker's window, at least one publish, is reserved for them,
 * unless the window is smaller than {@value #MIN_SHARED_WINDOW}. {@link UnansweredCalls}
 * limits the calls that the store answers before an urgent call.
 * <p>
 * A connection is ended when the broker stops acknowledging publishes, because it would
 * look alive and soon accept no more of them. The time is measured from the moment at
 * which a publish becomes the oldest unacknowledged one. The transfer of a large packet
 * does not count, so a connection that is only slow is kept. Thread-safe.
 */
final class FlowControl {

	private static final Logger logger = LoggerFactory.getLogger(FlowControl.class);

	/** Divisor of the window that gives the part reserved for urgent publishes. */
	private static final int RESERVED_FRACTION = 16;

	/** Smallest window of which a part is reserved. */
	private static final int MIN_SHARED_WINDOW = 4;

	/** Interval of checks for missing acknowledgments. */
	private static final int CHECK_MILLIS = 1000;

	private final ReentrantLock lock = new ReentrantLock();

	/** Timer for checks of deadlines. */
	private final ScheduledExecutorService timer;

	/** The unacknowledged publishes of the connection. */
	private final Activity inFlight;

	private final AcknowledgmentWatch watch;

	/** Ordinary publishes that wait to be sent, in order. */
	private final Set<Outgoing> ordinary = new LinkedHashSet<>();

	/** Urgent publishes that wait to be sent, in order. */
	private final Set<Outgoing> urgent = new LinkedHashSet<>();

	/** Publishes without acknowledgment, in the order in which they were sent. */
	private final Set<Outgoing> unacknowledged = new LinkedHashSet<>();

	/** Number of publishes reported to {@link #inFlight}. */
	private int reported;

	/** Number of ordinary publishes in {@link #unacknowledged}. */
	private int ordinaryUnacknowledged;

	private final UnansweredCalls unanswered;

	/** Tasks to run after the release of the lock. */
	private final List<Runnable> deferred = new ArrayList<>();

	private @Nullable Link link;

	/** Maximum number of unacknowledged publishes. */
	private int window;

	/** Completed when all calls in flight have ended, {@code null} unless draining. */
	private @Nullable CompletableFuture<Void> drained;

	/**
	 * Whether {@link Outgoing#send} is running. A link may report an acknowledgment on
	 * the same thread before that method returns.
	 */
	private boolean sending;

	private boolean checkScheduled;

	/** A publish that is sent once there is room. */
	interface Outgoing {

		/**
		 * Publishes now. Called with a lock held: must not block or call user code. An
		 * accepted publish occupies a place in the window until
		 * {@link FlowControl#release}.
		 * @return the outcome, {@code null} if it must not be sent any more
		 */
		@Nullable Submission send(Link link);

		/** Returns whether this overtakes ordinary publishes. Constant. */
		default boolean isUrgent() {
			return false;
		}

		/** Returns the approximate size in bytes. Constant. */
		default int size() {
			return 0;
		}

		/**
		 * Returns whether a reply is expected, so that {@link FlowControl#ended} follows.
		 */
		default boolean awaitsReply() {
			return false;
		}

	}

	/**
	 * @param networkTimer follows the time of the system
	 * @param time measures the deadlines
	 * @param inFlight tracks the unacknowledged publishes
	 * @param acknowledgmentTimeout maximum time for which the same publish may be the
	 * oldest unacknowledged one
	 * @param maxInFlight maximum number of ordinary calls in flight
	 */
	FlowControl(ScheduledExecutorService networkTimer, TimeSource time, Activity inFlight,
			Duration acknowledgmentTimeout, int maxInFlight) {
		this.timer = time.timer(networkTimer);
		this.inFlight = inFlight;
		this.unanswered = new UnansweredCalls(time::nanoTime, maxInFlight);
		this.watch = new AcknowledgmentWatch(time::nanoTime, acknowledgmentTimeout);
	}

	/** Sends a publish now or once there is room. */
	void submit(Outgoing outgoing) {
		this.lock.lock();
		try {
			queueOf(outgoing).add(outgoing);
			sendWaiting();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Withdraws a publish that has not been sent.
	 * @return whether it was waiting and will not be sent
	 */
	boolean withdraw(Outgoing outgoing) {
		this.lock.lock();
		try {
			return queueOf(outgoing).remove(outgoing);
		}
		finally {
			unlock();
		}
	}

	/**
	 * Starts to send over a new connection.
	 * @param window maximum number of unacknowledged publishes
	 */
	void open(Link link, int window) {
		this.lock.lock();
		try {
			this.link = link;
			this.window = window;
			this.drained = null;
			this.watch.open();
			this.unacknowledged.clear();
			this.ordinaryUnacknowledged = 0;
			this.unanswered.clear();
			report();
			sendWaiting();
		}
		finally {
			unlock();
		}
	}

	/** Stops sending because the connection has ended. Waits for a send in progress. */
	void close() {
		this.lock.lock();
		try {
			this.link = null;
			report();
		}
		finally {
			unlock();
		}
	}

	/** Removes a publish that the broker has acknowledged. */
	void release(Link link, Outgoing outgoing) {
		this.lock.lock();
		try {
			boolean oldest = !this.unacknowledged.isEmpty() && this.unacknowledged.iterator().next() == outgoing;
			if (this.link == link && this.unacknowledged.remove(outgoing)) {
				this.ordinaryUnacknowledged -= outgoing.isUrgent() ? 0 : 1;
				if (oldest) {
					this.watch.restart();
				}
				sendWaiting();
				report();
			}
		}
		finally {
			unlock();
		}
	}

	/** Removes a call that has ended, with a reply or without one. */
	void ended(Outgoing call) {
		this.lock.lock();
		try {
			queueOf(call).remove(call);
			if (this.unanswered.remove(call)) {
				sendWaiting();
			}
		}
		finally {
			unlock();
		}
	}

	/**
	 * Stops sending over the current connection.
	 * @return a future that completes when all calls in flight have ended
	 */
	CompletableFuture<Void> drain() {
		CompletableFuture<Void> drained = new CompletableFuture<>();
		this.lock.lock();
		try {
			this.drained = drained;
			sendWaiting();
		}
		finally {
			unlock();
		}
		return drained;
	}

	/**
	 * Runs a task that may call user code. If this thread holds the lock, the task runs
	 * once it has released it.
	 */
	void runUnlocked(Runnable task) {
		if (this.lock.isHeldByCurrentThread()) {
			this.deferred.add(task);
		}
		else {
			task.run();
		}
	}

	private void unlock() {
		List<Runnable> tasks = List.of();
		if (this.lock.getHoldCount() == 1 && !this.deferred.isEmpty()) {
			tasks = List.copyOf(this.deferred);
			this.deferred.clear();
		}
		this.lock.unlock();
		for (Runnable task : tasks) {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				// The other tasks complete other calls.
				logger.error("Failed to complete a call; its caller may not be notified. This is a bug: report it with "
						+ "this stack trace", ex);
			}
		}
	}

	private Set<Outgoing> queueOf(Outgoing outgoing) {
		return outgoing.isUrgent() ? this.urgent : this.ordinary;
	}

	private void sendWaiting() {
		if (this.sending) {
			// The loop below continues with the next publish.
			return;
		}
		if (this.drained != null) {
			if (this.unanswered.isEmpty()) {
				CompletableFuture<Void> drained = this.drained;
				runUnlocked(() -> drained.complete(null));
			}
			return;
		}
		for (Outgoing next = next(); this.link != null && next != null; next = next()) {
			Submission submission = send(next, this.link);
			if (submission == Submission.NOT_CONNECTED) {
				this.link = null;
				report();
				return;
			}
			queueOf(next).remove(next);
			if (submission == Submission.ACCEPTED) {
				scheduleCheck();
			}
		}
	}

	/**
	 * Returns the publish to send now, or {@code null} if there is none or no room for
	 * it.
	 */
	private @Nullable Outgoing next() {
		if (this.unacknowledged.size() >= this.window) {
			return null;
		}
		if (!this.urgent.isEmpty()) {
			return this.urgent.iterator().next();
		}
		if (this.ordinary.isEmpty() || this.ordinaryUnacknowledged >= this.window - reserved()) {
			return null;
		}
		Outgoing next = this.ordinary.iterator().next();
		return this.unanswered.hasRoomFor(next) ? next : null;
	}

	/** Returns the part of the window that only urgent publishes use. */
	private int reserved() {
		return (this.window >= MIN_SHARED_WINDOW) ? Math.max(1, this.window / RESERVED_FRACTION) : 0;
	}

	/**
	 * Sends a publish. It is counted before, because its acknowledgment may arrive before
	 * the link returns.
	 */
	private @Nullable Submission send(Outgoing outgoing, Link link) {
		Submission submission = null;
		count(outgoing);
		this.sending = true;
		try {
			submission = outgoing.send(link);
			return submission;
		}
		finally {
			this.sending = false;
			if (submission != Submission.ACCEPTED) {
				uncount(outgoing);
			}
		}
	}

	private void count(Outgoing outgoing) {
		if (this.unacknowledged.isEmpty()) {
			this.watch.restart();
		}
		this.unacknowledged.add(outgoing);
		this.ordinaryUnacknowledged += outgoing.isUrgent() ? 0 : 1;
		if (outgoing.awaitsReply()) {
			this.unanswered.add(outgoing);
		}
		report();
	}

	private void uncount(Outgoing outgoing) {
		if (this.unacknowledged.remove(outgoing)) {
			this.ordinaryUnacknowledged -= outgoing.isUrgent() ? 0 : 1;
		}
		this.unanswered.remove(outgoing);
		report();
	}

	/** Reports a change in the number of unacknowledged publishes. */
	private void report() {
		int count = (this.link != null) ? this.unacknowledged.size() : 0;
		if (count != this.reported) {
			this.inFlight.add(count - this.reported);
			this.reported = count;
		}
	}

	private void scheduleCheck() {
		if (!this.checkScheduled) {
			this.timer.schedule(this::checkAcknowledgments, CHECK_MILLIS, TimeUnit.MILLISECONDS);
			this.checkScheduled = true;
		}
	}

	/** Ends the connection if the broker has stopped acknowledging publishes. */
	void checkAcknowledgments() {
		Link stuck = null;
		this.lock.lock();
		try {
			this.checkScheduled = false;
			if (this.link != null && !this.unacknowledged.isEmpty()) {
				if (this.watch.check(this.link)) {
					stuck = this.link;
				}
				else {
					scheduleCheck();
				}
			}
		}
		finally {
			unlock();
		}
		if (stuck != null) {
			stuck.abort(this.watch.cause());
		}
	}

}
