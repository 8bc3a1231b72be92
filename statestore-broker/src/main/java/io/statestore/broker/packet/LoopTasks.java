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
 * Tasks for the event loop of one connection, run in the order of their submission.
 * Waiting tasks run together, with a single wake-up of the loop and a single flush.
 * Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class LoopTasks {

	private static final Logger logger = LoggerFactory.getLogger(LoopTasks.class);

	/** Maximum number of tasks that run before other connections have their turn. */
	private static final int MAX_RUN = 256;

	private final EventLoop loop;

	/** Whether a {@link Burst} delays the wake-up. */
	private final boolean inBursts;

	private final Runnable schedule = this::schedule;

	private final Runnable afterward;

	private final Consumer<Error> onError;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	/** Whether the loop is about to run the tasks. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates an empty queue.
	 * @param loop event loop of the connection
	 * @param inBursts whether the tasks of a burst wait for its end, to wake up the loop
	 * once
	 * @param afterward called on the loop after one or more tasks
	 * @param onError called on the loop with an error that a task has thrown
	 */
	public LoopTasks(EventLoop loop, boolean inBursts, Runnable afterward, Consumer<Error> onError) {
		this.onError = onError;
		this.loop = loop;
		this.inBursts = inBursts;
		this.afterward = afterward;
	}

	/**
	 * Runs a task on the loop: before this method returns if called on the loop,
	 * otherwise later. Discards the task if the loop has stopped.
	 * @param task the task. Exceptions that it throws are logged.
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
	 * Runs a task on the loop, later even if called on the loop. Otherwise, tasks of
	 * connections that resume each other would be nested.
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
				logger.error("A task of a connection failed; continuing with the next one", ex);
			}
			catch (Error ex) {
				this.onError.accept(ex);
			}
			task = (i < max) ? this.tasks.poll() : null;
		}
		this.afterward.run();
	}

}
