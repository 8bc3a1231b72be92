package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Sends publishes over a connection, one at a time, and no more of them than the broker
 * accepts without an acknowledgment (MQTT 5 section 4.9). Paho fails beyond that. Further
 * publishes wait in order of arrival, also while there is no connection.
 * <p>
 * Urgent publishes, such as renewals of locks, are sent before all ordinary ones that
 * wait. A sixteenth of the broker's window, at least one publish, is reserved for them,
 * unless the window is smaller than {@value #MIN_SHARED_WINDOW}. {@link UnansweredCalls}
 * bounds what the store answers before an urgent call.
 * <p>
 * A connection on which acknowledgments have ceased is ended, because it would look alive
 * and soon accept nothing more. The time counts from when a publish has become the oldest
 * one without acknowledgment. Time during which a large packet moves does not count, so
 * that a connection that is only slow stays.
 */
final class FlowControl {

	/** Part of the window that ordinary publishes leave to urgent ones. */
	private static final int RESERVED_FRACTION = 16;

	/** Smallest window of which a part is reserved. */
	private static final int MIN_SHARED_WINDOW = 4;

	/** Paho counts the end of a publish a little later than it tells. */
	private static final int RETRY_MILLIS = 1;

	/** How often to look for acknowledgments that are missing. */
	private static final int CHECK_MILLIS = 1000;

	private final ReentrantLock lock = new ReentrantLock();

	private final ScheduledExecutorService timer;

	private final AcknowledgmentWatch watch;

	private final Set<Outgoing> waiting = new LinkedHashSet<>();

	/** Sent before those in {@link #waiting}. */
	private final Set<Outgoing> urgent = new LinkedHashSet<>();

	/** Publishes without acknowledgment, in the order in which they were sent. */
	private final Set<Outgoing> unacknowledged = new LinkedHashSet<>();

	/** Number of ordinary publishes without acknowledgment. */
	private int ordinaryUnacknowledged;

	private final UnansweredCalls unanswered;

	private @Nullable Link link;

	private int window;

	/** Set while nothing is sent because the connection is about to be replaced. */
	private @Nullable CompletableFuture<Void> drained;

	/**
	 * Whether {@link Outgoing#send} is running. A link may report an acknowledgment on
	 * the same thread before that method returns.
	 */
	private boolean sending;

	private boolean retryScheduled;

	private boolean checkScheduled;

	/** Something to publish once there is room. */
	interface Outgoing {

		/**
		 * Publish now. Called with a lock held: must neither block nor call user code.
		 */
		Outcome send(Link link);

		/** Returns whether this overtakes ordinary publishes; never changes. */
		default boolean isUrgent() {
			return false;
		}

		/** Returns the size in bytes, about; never changes. */
		default int size() {
			return 0;
		}

		/** Returns whether {@link FlowControl#ended} follows. */
		default boolean awaitsReply() {
			return false;
		}

	}

	enum Outcome {

		/** Published: takes room until {@link FlowControl#release}. */
		SENT,

		/** Withdrawn, or failed by itself. */
		DROPPED,

		/** Paho has no room either; to be tried again soon. */
		NO_ROOM,

		/** The connection is not usable; to be sent by the next one. */
		NOT_CONNECTED

	}

	/**
	 * @param patience how long the oldest publish may be without acknowledgment
	 * @param maxInFlight maximum number of ordinary calls in flight
	 */
	FlowControl(ScheduledExecutorService timer, LongSupplier clock, Duration patience, int maxInFlight) {
		this.timer = timer;
		this.unanswered = new UnansweredCalls(clock, maxInFlight);
		this.watch = new AcknowledgmentWatch(clock, patience);
	}

	void submit(Outgoing outgoing) {
		this.lock.lock();
		try {
			queueOf(outgoing).add(outgoing);
			sendWaiting();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Withdraws a publish that has not been sent.
	 * @return whether it was waiting, so that it has not been sent and never will be
	 */
	boolean withdraw(Outgoing outgoing) {
		this.lock.lock();
		try {
			return queueOf(outgoing).remove(outgoing);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Handles a new connection, with its maximum number of publishes in flight. */
	void open(Link link, int window) {
		this.lock.lock();
		try {
			this.link = link;
			this.window = window;
			this.drained = null;
			this.unacknowledged.clear();
			this.ordinaryUnacknowledged = 0;
			this.unanswered.clear();
			sendWaiting();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The connection is gone; when this returns, nothing is being sent. */
	void close() {
		this.lock.lock();
		try {
			this.link = null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Makes room for another publish after the broker has acknowledged this one. */
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
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Removes a call that has ended, with a reply or without, wherever it is. */
	void ended(Outgoing call) {
		this.lock.lock();
		try {
			queueOf(call).remove(call);
			if (this.unanswered.remove(call)) {
				sendWaiting();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Sends nothing more over the present connection.
	 * @return completed when all calls that were sent have ended
	 */
	CompletableFuture<Void> drain() {
		CompletableFuture<Void> drained = new CompletableFuture<>();
		this.lock.lock();
		try {
			this.drained = drained;
			sendWaiting();
		}
		finally {
			this.lock.unlock();
		}
		return drained;
	}

	private Set<Outgoing> queueOf(Outgoing outgoing) {
		return outgoing.isUrgent() ? this.urgent : this.waiting;
	}

	private void sendWaiting() {
		if (this.sending) {
			// The loop below continues with the next publish.
			return;
		}
		if (this.drained != null) {
			if (this.unanswered.isEmpty()) {
				this.drained.complete(null);
			}
			return;
		}
		for (Outgoing next = next(); this.link != null && next != null; next = next()) {
			switch (send(next, this.link)) {
				case SENT -> {
					queueOf(next).remove(next);
					scheduleCheck();
				}
				case DROPPED -> queueOf(next).remove(next);
				case NO_ROOM -> {
					scheduleRetry();
					return;
				}
				case NOT_CONNECTED -> this.link = null;
			}
		}
	}

	/** Returns the publish to send now, {@code null} if there is none or no room. */
	private @Nullable Outgoing next() {
		if (this.unacknowledged.size() >= this.window) {
			return null;
		}
		if (!this.urgent.isEmpty()) {
			return this.urgent.iterator().next();
		}
		if (this.waiting.isEmpty() || this.ordinaryUnacknowledged >= this.window - reserved()) {
			return null;
		}
		Outgoing next = this.waiting.iterator().next();
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
	private Outcome send(Outgoing outgoing, Link link) {
		Outcome outcome = Outcome.NO_ROOM;
		count(outgoing);
		this.sending = true;
		try {
			outcome = outgoing.send(link);
			return outcome;
		}
		finally {
			this.sending = false;
			if (outcome != Outcome.SENT) {
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
	}

	private void uncount(Outgoing outgoing) {
		if (this.unacknowledged.remove(outgoing)) {
			this.ordinaryUnacknowledged -= outgoing.isUrgent() ? 0 : 1;
		}
		this.unanswered.remove(outgoing);
	}

	private void scheduleCheck() {
		if (!this.checkScheduled) {
			this.timer.schedule(this::checkAcknowledgements, CHECK_MILLIS, TimeUnit.MILLISECONDS);
			this.checkScheduled = true;
		}
	}

	/** End a connection on which acknowledgments have ceased; otherwise look again. */
	void checkAcknowledgements() {
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
			this.lock.unlock();
		}
		if (stuck != null) {
			stuck.abort(this.watch.cause());
		}
	}

	private void scheduleRetry() {
		if (!this.retryScheduled) {
			this.timer.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
			this.retryScheduled = true;
		}
	}

	private void retry() {
		this.lock.lock();
		try {
			this.retryScheduled = false;
			sendWaiting();
		}
		finally {
			this.lock.unlock();
		}
	}

}
