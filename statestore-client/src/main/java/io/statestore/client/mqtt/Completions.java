package io.statestore.client.mqtt;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the futures of calls on the threads of a pool. Replies come in bursts: those
 * of one burst share a thread, because to wake one costs more than to complete a future.
 * A task may block all the same: while one waits for its turn, there is always a thread
 * on its way that runs nothing else.
 */
final class Completions implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(Completions.class);

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	/** Whether the pool was asked for a thread that has not come yet. */
	private final AtomicBoolean asked = new AtomicBoolean();

	private final Executor pool;

	Completions(Executor pool) {
		this.pool = pool;
	}

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
		ask();
	}

	private void ask() {
		if (this.asked.compareAndSet(false, true)) {
			try {
				this.pool.execute(this::run);
			}
			catch (RuntimeException | Error ex) {
				// Such as for want of a thread; the next task asks again.
				this.asked.set(false);
				throw ex;
			}
		}
	}

	private void run() {
		this.asked.set(false);
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			if (!this.tasks.isEmpty()) {
				// This task may block.
				ask();
			}
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				logger.error("A call could not be completed", ex);
			}
		}
	}

}
