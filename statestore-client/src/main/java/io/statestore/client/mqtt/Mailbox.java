package io.statestore.client.mqtt;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks in order, one at a time, on the threads of an executor. A task that throws
 * is logged and the next one follows; tasks that find it full are refused.
 */
final class Mailbox {

	private static final Logger logger = LoggerFactory.getLogger(Mailbox.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final String owner;

	private final Executor executor;

	private final int capacity;

	private boolean running;

	private boolean full;

	Mailbox(String owner, Executor executor, int capacity) {
		this.owner = owner;
		this.executor = executor;
		this.capacity = capacity;
	}

	/** Whether there was room for the task. */
	boolean offer(Runnable task) {
		this.lock.lock();
		try {
			if (this.tasks.size() >= this.capacity) {
				if (!this.full) {
					this.full = true;
					logger.warn("{} is too slow: {} messages wait, further ones are dropped until there is room",
							this.owner, this.capacity);
				}
				return false;
			}
			this.full = false;
			this.tasks.add(task);
			if (this.running) {
				return true;
			}
			this.running = true;
		}
		finally {
			this.lock.unlock();
		}
		this.executor.execute(this::run);
		return true;
	}

	private void run() {
		for (Runnable task = next(); task != null; task = next()) {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				logger.error("{} failed", this.owner, ex);
			}
		}
	}

	private @Nullable Runnable next() {
		this.lock.lock();
		try {
			Runnable task = this.tasks.poll();
			this.running = task != null;
			return task;
		}
		finally {
			this.lock.unlock();
		}
	}

}
