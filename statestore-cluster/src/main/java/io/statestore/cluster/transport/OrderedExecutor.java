package io.statestore.cluster.transport;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order of arrival, on another executor's threads. Does not
 * occupy a thread while there are no tasks. Thread-safe.
 */
final class OrderedExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(OrderedExecutor.class);

	private final Executor threads;

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private boolean running;

	OrderedExecutor(Executor threads) {
		this.threads = threads;
	}

	@Override
	public void execute(Runnable task) {
		synchronized (this) {
			this.tasks.add(task);
			if (this.running) {
				return;
			}
			this.running = true;
		}
		this.threads.execute(this::runAll);
	}

	private void runAll() {
		for (Runnable task = next(); task != null; task = next()) {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				logger.error("Failed to process another node's request. This is a bug: report it with this stack trace",
						ex);
			}
		}
	}

	private synchronized @Nullable Runnable next() {
		Runnable task = this.tasks.poll();
		this.running = task != null;
		return task;
	}

}
