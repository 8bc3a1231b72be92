package io.statestore.testing.broker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's messages in one direction. A delayed message delays the messages behind
 * it, so that they stay in order. Runs one action at a time, on the threads of the
 * callers and the scheduler, and never inside another action. Thread-safe.
 */
final class DelayLine {

	private static final Logger logger = LoggerFactory.getLogger(DelayLine.class);

	private final Queue<Item> items = new ArrayDeque<>();

	private final ScheduledExecutorService scheduler;

	private boolean running;

	private boolean closed;

	/**
	 * Creates a line.
	 * @param scheduler scheduler for the ends of delays
	 */
	DelayLine(ScheduledExecutorService scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Adds a message.
	 * @param delay minimum delay of the message
	 * @param action passes the message on; dropped once the line is closed
	 */
	void add(Duration delay, Runnable action) {
		CompletableFuture<Void> due = new CompletableFuture<>();
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.items.add(new Item(due, action));
		}
		due.thenRun(this::runDue);
		if (delay.isZero()) {
			due.complete(null);
		}
		else {
			this.scheduler.schedule(() -> due.complete(null), delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	/** Returns whether messages are waiting for the end of a delay. */
	synchronized boolean isDelaying() {
		return this.items.stream().anyMatch((item) -> !item.due.isDone());
	}

	/**
	 * Drops the waiting messages and all later messages.
	 * @param last action to run last
	 */
	void close(Runnable last) {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			this.items.clear();
			this.items.add(new Item(CompletableFuture.completedFuture(null), last));
		}
		runDue();
	}

	private void runDue() {
		synchronized (this) {
			if (this.running) {
				return;
			}
			this.running = true;
		}
		for (Item next = next(); next != null; next = next()) {
			run(next.action);
		}
	}

	private static void run(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to pass on a message; continuing with the next one", ex);
		}
	}

	private synchronized @Nullable Item next() {
		Item head = this.items.peek();
		if (head == null || !head.due.isDone()) {
			this.running = false;
			return null;
		}
		return this.items.remove();
	}

	/**
	 * A message.
	 *
	 * @param due completes when the delay is over
	 * @param action passes the message on
	 */
	private record Item(CompletableFuture<?> due, Runnable action) {
	}

}
