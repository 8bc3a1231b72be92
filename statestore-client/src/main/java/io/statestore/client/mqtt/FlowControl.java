package io.statestore.client.mqtt;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Lets no more publishes through than the broker allows to be unacknowledged (MQTT 5
 * section 4.9), because Paho throws at the one after. The others wait in order of
 * arrival, also while there is no connection.
 * <p>
 * All publishes of a connection go through here, one at a time, which also keeps the
 * order of each caller.
 */
final class FlowControl {

	/** Paho counts the end of a publish a little later than it tells. */
	private static final int RETRY_MILLIS = 1;

	private final ReentrantLock lock = new ReentrantLock();

	private final ScheduledExecutorService timer;

	private final Set<Outgoing> waiting = new LinkedHashSet<>();

	private @Nullable Link link;

	private int free;

	private boolean retryScheduled;

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

	FlowControl(ScheduledExecutorService timer) {
		this.timer = timer;
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
			this.free = window;
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
	void release(Link link) {
		this.lock.lock();
		try {
			if (this.link == link) {
				this.free++;
				drain();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void drain() {
		while (this.link != null && this.free > 0 && !this.waiting.isEmpty()) {
			Outgoing next = this.waiting.iterator().next();
			switch (next.send(this.link)) {
				case SENT -> {
					this.waiting.remove(next);
					this.free--;
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

	private void scheduleRetry() {
		if (!this.retryScheduled) {
			this.retryScheduled = true;
			this.timer.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
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
