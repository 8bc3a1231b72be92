package io.statestore.client.mqtt.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the futures of calls, and thereby runs their continuations, on the executor
 * for replies. One thread completes all that wait, because waking a thread for each of
 * them costs more than completing it. If it is blocked when others are added, another
 * thread takes its place. Those that have waited for {@value #MAX_DELAY_MILLIS} ms get a
 * task each. Thread-safe; never blocks.
 */
final class Completions implements Executor {

	/** Maximum time for which continuations delay others. */
	private static final int MAX_DELAY_MILLIS = 10;

	private static final Logger logger = LoggerFactory.getLogger(Completions.class);

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	/** Number of completions added so far. */
	private final AtomicLong added = new AtomicLong();

	/** Number of completions removed so far. */
	private final AtomicLong removed = new AtomicLong();

	/** Number of the latest completion with a separate task. Used by the timer. */
	private long separated;

	/** Task that runs waiting completions, {@code null} if there is none. */
	private final AtomicReference<@Nullable Run> current = new AtomicReference<>();

	private final AtomicBoolean checkScheduled = new AtomicBoolean();

	private final Executor executor;

	private final TimeSource time;

	private final ScheduledExecutorService timer;

	/** Whether a network thread reads and may add more. */
	private volatile boolean reading;

	/**
	 * @param executor runs the continuations
	 * @param time counts completions as work until they end
	 * @param timer timer of the system clock
	 */
	Completions(Executor executor, TimeSource time, ScheduledExecutorService timer) {
		this.executor = executor;
		this.time = time;
		this.timer = timer;
	}

	@Override
	public void execute(Runnable completion) {
		this.waiting.add(this.time.tracked(completion));
		this.added.incrementAndGet();
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
		Run previous = this.current.get();
		Run run = new Run();
		if ((previous == null || previous.isBlocked()) && this.current.compareAndSet(previous, run)) {
			try {
				this.executor.execute(run);
			}
			catch (RuntimeException | Error ex) {
				this.current.compareAndSet(run, null);
				logger.error("Failed to start a task that completes calls; trying again at the next check. Check the "
						+ "memory, and the limit of threads", ex);
			}
		}
	}

	private void scheduleCheck() {
		long last = this.added.get();
		this.timer.schedule(() -> check(last), MAX_DELAY_MILLIS / 2, TimeUnit.MILLISECONDS);
	}

	/**
	 * Gives waiting completions separate tasks if some have waited since the previous
	 * check.
	 * @param last number of completions at that time
	 */
	private void check(long last) {
		if (this.waiting.isEmpty()) {
			this.checkScheduled.set(false);
			if (this.waiting.isEmpty() || !this.checkScheduled.compareAndSet(false, true)) {
				return;
			}
		}
		boolean late = this.removed.get() < last;
		scheduleCheck();
		if (late) {
			this.current.set(null);
			long end = this.added.get();
			this.separated = Math.max(this.separated, this.removed.get());
			for (; this.separated < end; this.separated++) {
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
		this.removed.incrementAndGet();
		try {
			next.run();
		}
		catch (RuntimeException | Error ex) {
			// The remaining completions belong to other calls.
			logger.error("Failed to complete a call; its caller may not be notified. This is a bug: report it with "
					+ "this stack trace", ex);
		}
		// The next continuation must not see an interrupt of the previous one.
		Thread.interrupted();
		return true;
	}

	/**
	 * Runs waiting completions until there are none, or until another task replaces this
	 * one.
	 */
	private final class Run implements Runnable {

		private volatile @Nullable Thread thread;

		/**
		 * Returns whether a continuation is blocked, perhaps by the wait for a later
		 * completion.
		 */
		boolean isBlocked() {
			Thread thread = this.thread;
			return thread != null && thread.getState() != Thread.State.RUNNABLE;
		}

		@Override
		public void run() {
			this.thread = Thread.currentThread();
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
