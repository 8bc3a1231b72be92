package io.statestore.broker.packet;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.netty.channel.EventLoop;
import io.statestore.broker.server.Burst;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks for one connection's event loop, run in submission order. Waiting tasks run
 * together, with a single wake-up and a single flush. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class LoopTasks {

	private static final Logger logger = LoggerFactory.getLogger(LoopTasks.class);

	/** Maximum number of tasks to run before other connections get their turn. */
	private static final int MAX_RUN = 256;

	private final EventLoop loop;

	/** Whether a {@link Burst} delays the wake-up until it ends. */
	private final boolean inBursts;

	private final Runnable schedule = this::schedule;

	private final Runnable afterward;

	private final Consumer<Error> onError;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	/** Whether the loop is about to run the tasks. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates an empty queue.
	 * @param loop the connection's event loop
	 * @param inBursts whether tasks wait for the end of a burst, so that the loop is
	 * woken up only once
	 * @param afterward called on the loop after one or more tasks
	 * @param onError called on the loop with an error thrown by a task
	 */
	public LoopTasks(EventLoop loop, boolean inBursts, Runnable afterward, Consumer<Error> onError) {
		this.onError = onError;
		this.loop = loop;
		this.inBursts = inBursts;
		this.afterward = afterward;
	}

	/**
	 * Runs a task on the loop. If called on the loop, runs the task before this method
	 * returns, otherwise later. Discards the task if the loop has stopped.
	 * @param task the task; its exceptions are logged
	 */
	public void execute(Runnable task) {
		if (this.loop.inEventLoop()) {
			this.tasks.add(task);
			run(Integer.MAX_VALUE);
		}
		else {
			executeLater(task);
		}
	}

	/**
	 * Runs a task on the loop later, even if called on the loop. This prevents nested
	 * calls when connections resume each other.
	 * @param task the task, see {@link #execute}
	 */
	public void executeLater(Runnable task) {
		this.tasks.add(task);
		if (this.scheduled.compareAndSet(false, true)) {
			if (this.inBursts) {
				Burst.atEnd(this.schedule);
			}
			else {
				schedule();
			}
		}
	}

	private void schedule() {
		try {
			this.loop.execute(this::runScheduled);
		}
		catch (RejectedExecutionException ex) {
			// The broker has stopped, which ended the connection.
			this.tasks.clear();
		}
	}

	private void runScheduled() {
		this.scheduled.set(false);
		run(MAX_RUN);
		if (!this.tasks.isEmpty() && this.scheduled.compareAndSet(false, true)) {
			schedule();
		}
	}

	private void run(int max) {
		Runnable task = this.tasks.poll();
		for (int i = 1; task != null; i++) {
			try {
				task.run();
			}
			catch (RuntimeException ex) {
				logger.error("A connection task failed; continuing with the next task. This is a bug: report it with "
						+ "this stack trace", ex);
			}
			catch (Error ex) {
				this.onError.accept(ex);
			}
			task = (i < max) ? this.tasks.poll() : null;
		}
		this.afterward.run();
	}

}
