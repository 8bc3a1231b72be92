package io.statestore.broker.server;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task at a time in order of arrival, on the thread of the caller that finds the
 * executor idle. Without contention, a task does not require a thread switch. A task
 * submitted by another task runs after it.
 */
final class SerialExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(SerialExecutor.class);

	/** Number of tasks a caller runs before {@link #relief} continues in its place. */
	private static final int MAX_RUN = 256;

	private static final long FAILURE_CHECK_MILLIS = 10;

	private static final BooleanSupplier NEVER = () -> false;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean busy = new AtomicBoolean();

	private final Executor relief;

	private final Consumer<Error> onError;

	/**
	 * Whether a task has thrown an error, after which shared state may be inconsistent.
	 */
	private volatile boolean failed;

	/**
	 * Creates an executor.
	 * @param relief continues in place of a caller that has run many tasks, because the
	 * caller cannot handle its other connections in the meantime
	 * @param onError called once, with the first error of a task. No task runs afterward
	 */
	SerialExecutor(Executor relief, Consumer<Error> onError) {
		this.relief = relief;
		this.onError = onError;
	}

	@Override
	public void execute(Runnable task) {
		execute(task, NEVER);
	}

	/**
	 * Runs a task on the caller's thread unless the caller has something else to do.
	 * @param task the task to run
	 * @param occupied returns whether {@link #relief} must run the task and later ones
	 */
	void execute(Runnable task, BooleanSupplier occupied) {
		this.tasks.add(task);
		if (this.busy.compareAndSet(false, true) && !(occupied.getAsBoolean() && handOver())) {
			drain(occupied);
		}
	}

	/**
	 * Runs a task and waits until it ends. An interrupt does not shorten the wait. Must
	 * not be called from a task.
	 * @param task the task, whose exceptions this method rethrows
	 * @return whether the task has ended; if not, this executor has failed
	 */
	boolean call(Runnable task) {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		execute(() -> {
			try {
				task.run();
				ended.complete(null);
			}
			catch (RuntimeException ex) {
				ended.completeExceptionally(ex);
			}
		});
		return awaitEnd(ended);
	}

	private boolean awaitEnd(CompletableFuture<Void> ended) {
		boolean interrupted = false;
		try {
			while (!ended.isDone() && !this.failed) {
				try {
					ended.get(FAILURE_CHECK_MILLIS, TimeUnit.MILLISECONDS);
				}
				catch (TimeoutException | ExecutionException ex) {
					// A failed executor does not run tasks. The task's own failure is
					// handled below.
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		if (!ended.isDone()) {
			return false;
		}
		try {
			ended.join();
			return true;
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException exception) ? exception : ex;
		}
	}

	private void drain(BooleanSupplier occupied) {
		int count = 0;
		do {
			Runnable task = this.tasks.poll();
			while (task != null) {
				run(task);
				count++;
				if ((count % MAX_RUN == 0 || occupied.getAsBoolean()) && !this.tasks.isEmpty() && handOver()) {
					return;
				}
				task = this.tasks.poll();
			}
			this.busy.set(false);
			// The loop condition finds a task added before this line by a caller that
			// found the executor busy.
		}
		while (!this.tasks.isEmpty() && this.busy.compareAndSet(false, true));
	}

	private boolean handOver() {
		try {
			this.relief.execute(() -> drain(NEVER));
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
		catch (Error ex) {
			// This happens if no thread can be started, for example.
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
			logger.error("A task of the state store failed; continuing with the next task. This is a bug: report it "
					+ "with this stack trace", ex);
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
			// No task runs from now on, even if the report fails.
		}
	}

}
