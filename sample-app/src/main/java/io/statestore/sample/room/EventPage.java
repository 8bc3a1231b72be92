package io.statestore.sample.room;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * An open page. A page that falls behind skips updates, and then gets everything in one
 * event, so it needs no more memory than others. Only the thread of the ticks uses it.
 */
final class EventPage {

	/** Maximum number of events that wait for a slow page. */
	private static final int MAX_PENDING = 16;

	/** Number of ticks without progress after which a page is closed, about 30 s. */
	private static final int MAX_STUCK = 150;

	private final EventOutput output;

	/** Number of the latest entry of the event log in the first response. */
	private final long lastEntry;

	/** Whether the page needs everything, because it is new or has skipped updates. */
	private volatile boolean behind = true;

	/** Number of accepted events at the last tick. */
	private long written;

	private int stuck;

	EventPage(EventOutput output, long lastEntry) {
		this.output = output;
		this.lastEntry = lastEntry;
	}

	/**
	 * Sends what has changed since the last tick.
	 * @param update the event, {@code null} if nothing has changed
	 * @param everything returns an event that replaces the whole content
	 * @return whether the page is still open
	 */
	boolean tick(byte @Nullable [] update, Supplier<byte[]> everything) {
		if (!this.behind && update != null) {
			this.output.send(update);
			if (this.output.pending() > MAX_PENDING) {
				this.output.clear();
				this.behind = true;
			}
		}
		boolean ready = this.output.isReady();
		if (ready && this.behind) {
			this.behind = false;
			this.output.send(everything.get());
		}
		long before = this.written;
		this.written = this.output.written();
		this.stuck = (ready || this.written > before) ? 0 : this.stuck + 1;
		if (this.stuck > MAX_STUCK) {
			this.output.close();
		}
		return !this.output.isClosed();
	}

	long lastEntry() {
		return this.lastEntry;
	}

	boolean isBehind() {
		return this.behind;
	}

	void close() {
		this.output.close();
	}

}
