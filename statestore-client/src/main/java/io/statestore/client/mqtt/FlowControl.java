package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets no more publishes through than the broker allows to be unacknowledged (MQTT 5
 * section 4.9), because Paho throws at the one after. The others wait in order of
 * arrival, also while there is no connection.
 * <p>
 * All publishes of a connection go through here, one at a time, which also keeps the
 * order of each caller.
 * <p>
 * A connection on which acknowledgements have ceased is ended, because it would look
 * alive and soon take nothing more. The time counts from when a publish has become the
 * first that waits for its acknowledgement, and not while a large packet moves, so that a
 * connection that is only slow stays.
 */
final class FlowControl {

	/** Paho counts the end of a publish a little later than it tells. */
	private static final int RETRY_MILLIS = 1;

	/** How often to look for acknowledgements that are missing. */
	private static final int CHECK_MILLIS = 1000;

	private final ReentrantLock lock = new ReentrantLock();

	private final ScheduledExecutorService timer;

	private final LongSupplier clock;

	/** How long the first of those unacknowledged may stay the first. */
	private final Duration patience;

	private final Set<Outgoing> waiting = new LinkedHashSet<>();

	/** Sent and not acknowledged, in order. */
	private final Set<Outgoing> unacknowledged = new LinkedHashSet<>();

	/** Since when the first of them has been the first. */
	private long firstSince;

	/** Whether the first one was overdue at the last look. */
	private boolean overdue;

	private @Nullable Link link;

	private int window;

	private boolean retryScheduled;

	private boolean checkScheduled;

	/** Something to publish once there is room. */
	interface Outgoing {

		/**
		 * Publish now. Called with a lock held: must neither block nor call user code.
		 */
		Outcome send(Link link);

	}

	enum Outcome {

		/** Published: takes room until {@link FlowControl#release}. */
		SENT,

		/** Not wanted any more, or failed by itself. */
		DROPPED,

		/** Paho has no room either; to be tried again soon. */
		NO_ROOM,

		/** The connection is not usable; to be sent by the next one. */
		NOT_CONNECTED

	}

	FlowControl(ScheduledExecutorService timer, LongSupplier clock, Duration patience) {
		this.timer = timer;
		this.clock = clock;
		this.patience = patience;
	}

	void submit(Outgoing outgoing) {
		this.lock.lock();
		try {
			this.waiting.add(outgoing);
			drain();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Do not send this any more if it was not.
	 * @return whether it was waiting, so that it has not been sent and never will be
	 */
	boolean withdraw(Outgoing outgoing) {
		this.lock.lock();
		try {
			return this.waiting.remove(outgoing);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** There is a connection that takes so many publishes. */
	void open(Link link, int window) {
		this.lock.lock();
		try {
			this.link = link;
			this.window = window;
			this.unacknowledged.clear();
			drain();
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

	/** A publish of this link was acknowledged. */
	void release(Link link, Outgoing outgoing) {
		this.lock.lock();
		try {
			if (this.link == link && this.unacknowledged.contains(outgoing)) {
				if (this.unacknowledged.iterator().next() == outgoing) {
					beginToWait();
				}
				this.unacknowledged.remove(outgoing);
				drain();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void drain() {
		while (this.link != null && this.unacknowledged.size() < this.window && !this.waiting.isEmpty()) {
			Outgoing next = this.waiting.iterator().next();
			switch (next.send(this.link)) {
				case SENT -> {
					this.waiting.remove(next);
					sent(next);
				}
				case DROPPED -> this.waiting.remove(next);
				case NO_ROOM -> {
					scheduleRetry();
					return;
				}
				case NOT_CONNECTED -> this.link = null;
			}
		}
	}

	private void sent(Outgoing outgoing) {
		if (this.unacknowledged.isEmpty()) {
			beginToWait();
		}
		this.unacknowledged.add(outgoing);
		scheduleCheck();
	}

	private void scheduleCheck() {
		if (!this.checkScheduled) {
			this.timer.schedule(this::checkAcknowledgements, CHECK_MILLIS, TimeUnit.MILLISECONDS);
			this.checkScheduled = true;
		}
	}

	/** End a connection on which acknowledgements have ceased; otherwise look again. */
	void checkAcknowledgements() {
		Link stuck = null;
		this.lock.lock();
		try {
			this.checkScheduled = false;
			if (this.link != null && !this.unacknowledged.isEmpty()) {
				if (isStuck(this.link)) {
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
			stuck.abort("the broker has not acknowledged a message for " + this.patience.toSeconds() + " s");
		}
	}

	private boolean isStuck(Link link) {
		if (link.lookIsWithinPacket()) {
			beginToWait();
		}
		boolean overdueBefore = this.overdue;
		this.overdue = this.clock.getAsLong() - this.firstSince > this.patience.toNanos();
		// Once is not enough: after a sleep of the process the answer may be there,
		// unread.
		return this.overdue && overdueBefore;
	}

	private void beginToWait() {
		this.firstSince = this.clock.getAsLong();
		this.overdue = false;
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
			drain();
		}
		finally {
			this.lock.unlock();
		}
	}

}
