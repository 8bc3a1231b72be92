package io.statestore.client.mqtt.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.ClientResources;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the futures of calls, and thereby runs their continuations, on the executor
 * for replies. One thread completes all that wait, because waking a thread for each of
 * them costs more than completing it. If a continuation blocks, the others continue on
 * other threads within {@value #MAX_DELAY_MILLIS} ms. Thread-safe; never blocks.
 */
final class Completions implements Executor {

	/** Maximum time for which a continuation that blocks delays others. */
	private static final int MAX_DELAY_MILLIS = 10;

	private static final Logger logger = LoggerFactory.getLogger(Completions.class);

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	/** The task that runs what waits, {@code null} if there is none. */
	private final AtomicReference<@Nullable Run> current = new AtomicReference<>();

	private final AtomicBoolean checkScheduled = new AtomicBoolean();

	private final Executor executor;

	private final TimeSource time;

	private final ScheduledExecutorService timer;

	/** Whether a network thread reads and may add more. */
	private volatile boolean reading;

	Completions(ClientResources resources) {
		this.executor = resources.replies();
		this.time = resources.time();
		this.timer = resources.networkTimer();
	}

	@Override
	public void execute(Runnable completion) {
		this.waiting.add(this.time.tracked(completion));
		if (!this.reading) {
			start();
		}
		if (!this.checkScheduled.get() && this.checkScheduled.compareAndSet(false, true)) {
			scheduleCheck();
		}
	}

	/** Lets completions wait for those that the same read will add. */
	void readStarted() {
		this.reading = true;
	}

	/** Starts to run the completions that the read has added. */
	void readCompleted() {
		this.reading = false;
		if (!this.waiting.isEmpty()) {
			start();
		}
	}

	private void start() {
		Run run = new Run();
		if (this.current.get() == null && this.current.compareAndSet(null, run)) {
			try {
				this.executor.execute(run);
			}
			catch (RuntimeException | Error ex) {
				// For example a missing thread. The next check tries again.
				this.current.compareAndSet(run, null);
				throw ex;
			}
		}
	}

	private void scheduleCheck() {
		Runnable first = this.waiting.peek();
		this.timer.schedule(() -> check(first), MAX_DELAY_MILLIS / 2, TimeUnit.MILLISECONDS);
	}

	/** Separates the completions that wait if the first one still does. */
	private void check(@Nullable Runnable first) {
		if (this.waiting.isEmpty()) {
			this.checkScheduled.set(false);
			if (this.waiting.isEmpty() || !this.checkScheduled.compareAndSet(false, true)) {
				return;
			}
		}
		boolean blocked = this.waiting.peek() == first;
		scheduleCheck();
		if (blocked) {
			this.current.set(null);
			for (int count = this.waiting.size(); count > 0; count--) {
				this.executor.execute(() -> this.time.untracked(this::runNext));
			}
		}
	}

	/** Runs the next completion, and returns whether there was one. */
	private boolean runNext() {
		Runnable next = this.waiting.poll();
		if (next == null) {
			return false;
		}
		try {
			next.run();
		}
		catch (RuntimeException | Error ex) {
			// The others complete other calls.
			logger.error("A call cannot be completed", ex);
		}
		// An interrupt that a continuation left is none of the next one.
		Thread.interrupted();
		return true;
	}

	/** Runs what waits. Ends earlier if a continuation has blocked. */
	private final class Run implements Runnable {

		@Override
		public void run() {
			Completions.this.time.untracked(this::runAll);
		}

		private void runAll() {
			AtomicReference<@Nullable Run> current = Completions.this.current;
			do {
				while (current.get() == this && runNext()) {
				}
			}
			while (current.compareAndSet(this, null) && !Completions.this.waiting.isEmpty()
					&& current.compareAndSet(null, this));
		}

	}

}
