package io.statestore.broker.artemis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.apache.activemq.artemis.utils.ActiveMQThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Thread pool in which Artemis executes packets. Reports errors of its tasks, such as
 * exhausted memory. Artemis itself catches exceptions only. A client whose packet caused
 * an error would wait for an answer forever.
 */
final class ArtemisThreads extends ActiveMQThreadPoolExecutor {

	/** Prefix of the names of the threads. */
	static final String NAME = "statestore-artemis-";

	private static final long KEEP_ALIVE_SECONDS = 60;

	private static final AtomicInteger created = new AtomicInteger();

	private static final Duration MAX_WAIT = Duration.ofSeconds(1);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(1);

	private final Consumer<Error> failed;

	/** Number of tasks that are queued or running. */
	private final AtomicInteger unfinished = new AtomicInteger();

	/**
	 * Creates a pool without threads.
	 * @param maxThreads maximum number of threads
	 * @param failed receives errors, on any thread
	 */
	ArtemisThreads(int maxThreads, Consumer<Error> failed) {
		super(0, maxThreads, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, (task) -> {
			Thread thread = new Thread(task, NAME + created.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
		this.failed = failed;
		// While Artemis stops the pool, a running task may still submit the next one.
		setRejectedExecutionHandler((task, pool) -> {
			this.unfinished.decrementAndGet();
			task.run();
		});
	}

	/** Waits until all tasks have ended, at most one second. */
	void awaitIdle() {
		long start = System.nanoTime();
		while (this.unfinished.get() > 0 && System.nanoTime() - start < MAX_WAIT.toNanos()) {
			LockSupport.parkNanos(POLL_INTERVAL.toNanos());
		}
	}

	@Override
	public void execute(Runnable task) {
		this.unfinished.incrementAndGet();
		try {
			super.execute(task);
		}
		catch (Error ex) {
			// A thread could not be created.
			this.unfinished.decrementAndGet();
			this.failed.accept(ex);
			throw ex;
		}
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable failure) {
		this.unfinished.decrementAndGet();
		if (failure instanceof Error error) {
			this.failed.accept(error);
		}
	}

}
