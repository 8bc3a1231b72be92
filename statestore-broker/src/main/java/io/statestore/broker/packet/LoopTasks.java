package io.statestore.broker.packet;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.netty.channel.EventLoop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks for the event loop of one connection, submitted by any thread and run in order.
 * Waiting tasks run together, with a single wake-up and flush.
 */
public final class LoopTasks {

	private static final Logger logger = LoggerFactory.getLogger(LoopTasks.class);

	private final EventLoop loop;

	private final Runnable afterwards;

	private final Consumer<Error> onError;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates the queue of a connection.
	 * @param loop of the connection
	 * @param afterwards runs on the loop after one or more tasks
	 * @param onError called on the loop with an error that a task throws
	 */
	public LoopTasks(EventLoop loop, Runnable afterwards, Consumer<Error> onError) {
		this.onError = onError;
		this.loop = loop;
		this.afterwards = afterwards;
	}

	/** Run a task on the loop, at once if called on it. */
	public void execute(Runnable task) {
		this.tasks.add(task);
		if (this.loop.inEventLoop()) {
			run();
		}
		else if (this.scheduled.compareAndSet(false, true)) {
			try {
				this.loop.execute(this::runScheduled);
			}
			catch (RejectedExecutionException ex) {
				// The broker is down and the connection with it.
				this.tasks.clear();
			}
		}
	}

	private void runScheduled() {
		this.scheduled.set(false);
		run();
	}

	private void run() {
		Runnable task = this.tasks.poll();
		while (task != null) {
			try {
				task.run();
			}
			catch (RuntimeException ex) {
				logger.error("A task of a connection failed; continuing with the next one", ex);
			}
			catch (Error ex) {
				this.onError.accept(ex);
			}
			task = this.tasks.poll();
		}
		this.afterwards.run();
	}

}
