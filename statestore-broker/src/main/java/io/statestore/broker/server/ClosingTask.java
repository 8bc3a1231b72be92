package io.statestore.broker.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A task that closes files on a separate thread. The task takes as long as the disk
 * needs, but callers wait only up to a limit. Interrupting a caller has no effect on the
 * files.
 */
final class ClosingTask {

	private final Thread thread;

	private boolean started;

	/**
	 * Creates a task.
	 * @param name name for the thread
	 */
	ClosingTask(String name, Runnable task) {
		this.thread = new Thread(task, name);
		this.thread.setDaemon(true);
	}

	/**
	 * Starts the task unless it was already started, and waits until it ends. An
	 * interrupt does not shorten the wait.
	 * @param limit the longest time to wait
	 * @return whether the task has ended
	 */
	boolean run(Duration limit) {
		start();
		long end = System.nanoTime() + limit.toNanos();
		boolean interrupted = false;
		while (this.thread.isAlive() && end - System.nanoTime() > 0) {
			try {
				TimeUnit.NANOSECONDS.timedJoin(this.thread, end - System.nanoTime());
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return !this.thread.isAlive();
	}

	private synchronized void start() {
		if (!this.started) {
			this.thread.start();
			// Set only now, because starting the thread may fail.
			this.started = true;
		}
	}

}
