package io.statestore.broker.server;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task at a time in the order of arrival, on the thread of the caller that finds
 * the executor idle. Without contention a task costs no change of threads. A task
 * submitted by a task runs after it.
 */
final class SerialExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(SerialExecutor.class);

	/** Tasks the caller runs before handing over to {@link #relief}. */
	private static final int MAX_RUN = 256;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean busy = new AtomicBoolean();

	private final Executor relief;

	private final Consumer<Error> onError;

	/** Set by an error: what the tasks work on may be inconsistent. */
	private volatile boolean failed;

	/**
	 * Creates an executor.
	 * @param onError called once, with the first error that a task throws; no task runs
	 * after it
	 * @param relief takes over from a caller under load, whose connection would otherwise
	 * wait while it serves other connections
	 */
	SerialExecutor(Executor relief, Consumer<Error> onError) {
		this.relief = relief;
		this.onError = onError;
	}

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
		if (this.busy.compareAndSet(false, true)) {
			drain();
		}
	}

	private void drain() {
		int count = 0;
		do {
			Runnable task = this.tasks.poll();
			while (task != null) {
				run(task);
				count++;
				if (count % MAX_RUN == 0 && handOver()) {
					return;
				}
				task = this.tasks.poll();
			}
			this.busy.set(false);
			// Who added a task before this line and found us busy relies on the next one.
		}
		while (!this.tasks.isEmpty() && this.busy.compareAndSet(false, true));
	}

	private boolean handOver() {
		try {
			this.relief.execute(this::drain);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
		catch (Error ex) {
			// For example for lack of threads.
			fail(ex);
			return false;
		}
	}

	private void run(Runnable task) {
		if (this.failed) {
			return;
		}
		try {
			task.run();
		}
		catch (Exception ex) {
			logger.error("A task of the state store failed; continuing with the next one", ex);
		}
		catch (Error ex) {
			fail(ex);
		}
	}

	private void fail(Error error) {
		if (this.failed) {
			return;
		}
		this.failed = true;
		try {
			this.onError.accept(error);
		}
		catch (RuntimeException | Error ex) {
			// Nothing runs from now on, with or without a report.
		}
	}

}
