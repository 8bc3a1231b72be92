package io.statestore.sample.room;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.jspecify.annotations.Nullable;

/**
 * Connection to an open page. Writes without blocking, so a slow page delays no other
 * one. A page that falls behind skips updates, and then gets everything in one event.
 */
final class EventPage implements WriteListener, AsyncListener {

	/** Maximum number of events that wait for a slow page. */
	static final int MAX_PENDING = 16;

	/** Number of ticks without progress after which a page is closed, about 30 s. */
	static final int MAX_STUCK = 150;

	private final AsyncContext context;

	private final ServletOutputStream output;

	private final Deque<byte[]> pending = new ArrayDeque<>();

	/** Whether the page needs everything, because it is new or has skipped updates. */
	private boolean behind = true;

	private boolean open;

	private boolean closed;

	private boolean unflushed;

	private int stuck;

	EventPage(AsyncContext context, ServletOutputStream output) {
		this.context = context;
		this.output = output;
	}

	/**
	 * Sends what has changed since the last tick.
	 * @param update the event, {@code null} if nothing has changed
	 * @param everything returns an event that replaces the whole content
	 * @return whether the page is still open
	 */
	synchronized boolean tick(byte @Nullable [] update, Supplier<byte[]> everything) {
		if (this.closed || !this.open) {
			return !this.closed;
		}
		if (!this.behind && update != null) {
			this.pending.add(update);
			if (this.pending.size() > MAX_PENDING) {
				this.pending.clear();
				this.behind = true;
			}
		}
		drain();
		if (this.behind && !this.closed && this.pending.isEmpty() && !this.unflushed && isReady()) {
			this.behind = false;
			this.pending.add(everything.get());
			drain();
		}
		this.stuck = (this.behind || !this.pending.isEmpty() || this.unflushed) ? this.stuck + 1 : 0;
		if (this.stuck > MAX_STUCK) {
			close();
		}
		return !this.closed;
	}

	@Override
	public synchronized void onWritePossible() {
		this.open = true;
		drain();
	}

	private void drain() {
		try {
			while (!this.closed && this.output.isReady()) {
				if (this.unflushed) {
					this.unflushed = false;
					this.output.flush();
				}
				else {
					byte[] next = this.pending.poll();
					if (next == null) {
						return;
					}
					this.unflushed = true;
					this.stuck = 0;
					this.output.write(next);
				}
			}
		}
		catch (IOException | RuntimeException ex) {
			// The page has been closed, also if the container has recycled the response.
			close();
		}
	}

	private boolean isReady() {
		try {
			return this.output.isReady();
		}
		catch (RuntimeException ex) {
			close();
			return false;
		}
	}

	/** Ends the connection. The page connects again if it still exists. */
	synchronized void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		this.pending.clear();
		try {
			this.context.complete();
		}
		catch (RuntimeException ex) {
			// The container has completed it.
		}
	}

	synchronized boolean isBehind() {
		return this.open && this.behind;
	}

	@Override
	public void onError(Throwable failure) {
		close();
	}

	@Override
	public synchronized void onComplete(AsyncEvent event) {
		this.closed = true;
		this.pending.clear();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		close();
	}

	@Override
	public void onError(AsyncEvent event) {
		close();
		try {
			// Prevents that the container renders an error into the closed connection.
			event.getAsyncContext().complete();
		}
		catch (IllegalStateException ex) {
			// It has been completed.
		}
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
	}

}
