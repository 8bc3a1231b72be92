package io.statestore.sample.room;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/** Writes events to one connection without blocking. Thread-safe. */
final class EventOutput implements WriteListener, AsyncListener {

	private final AsyncContext context;

	private final ServletOutputStream output;

	private final Deque<byte[]> pending = new ArrayDeque<>();

	private long written;

	private boolean open;

	private boolean closed;

	private boolean unflushed;

	EventOutput(AsyncContext context, ServletOutputStream output) {
		this.context = context;
		this.output = output;
		context.addListener(this);
	}

	/** Sends an event as soon as the connection accepts it. */
	synchronized void send(byte[] event) {
		this.pending.add(event);
		drain();
	}

	/** Returns the number of events that wait. */
	synchronized int pending() {
		return this.pending.size();
	}

	/** Returns the number of events that the connection has accepted. */
	synchronized long written() {
		return this.written;
	}

	/** Removes the events that wait. */
	synchronized void clear() {
		this.pending.clear();
	}

	/** Returns whether the connection has accepted all events, and accepts more. */
	synchronized boolean isReady() {
		drain();
		return this.open && !this.closed && this.pending.isEmpty() && !this.unflushed;
	}

	synchronized boolean isClosed() {
		return this.closed;
	}

	@Override
	public synchronized void onWritePossible() {
		this.open = true;
		drain();
	}

	/** A write must follow a check for readiness, and so must a flush. */
	private void drain() {
		try {
			while (this.open && !this.closed && (this.unflushed || !this.pending.isEmpty()) && this.output.isReady()) {
				if (this.unflushed) {
					this.unflushed = false;
					this.output.flush();
				}
				else {
					this.unflushed = true;
					this.written++;
					this.output.write(this.pending.remove());
				}
			}
		}
		catch (IOException | RuntimeException ex) {
			// The page has been closed; the container may have recycled the response.
			close();
		}
	}

	/** Ends the connection. The page connects again if it still exists. */
	synchronized void close() {
		this.closed = true;
		this.pending.clear();
		try {
			// Also after an error, so that the container renders no error page.
			this.context.complete();
		}
		catch (RuntimeException ex) {
			// It is complete.
		}
	}

	@Override
	public void onError(Throwable failure) {
		close();
	}

	@Override
	public void onError(AsyncEvent event) {
		close();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		close();
	}

	@Override
	public synchronized void onComplete(AsyncEvent event) {
		this.closed = true;
		this.pending.clear();
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
	}

}
