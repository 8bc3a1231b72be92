package io.statestore.client.observation;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/** The threads that run listeners where the application provides none. */
final class ListenerThreads {

	/** How many listeners may be busy at once on platform threads. */
	static final int MAX_THREADS = 64;

	private static final String NAME = "statestore-key-listener";

	private static final int IDLE_SECONDS = 10;

	private ListenerThreads() {
	}

	/** Virtual threads on JDK 21 and newer, otherwise a bounded pool of daemons. */
	static Executor listeners() {
		try {
			return new VirtualThreadTaskExecutor(NAME + '-');
		}
		catch (UnsupportedOperationException ex) {
			return pool();
		}
	}

	/**
	 * Starts a thread only when all others are busy. One task per listener waits at a
	 * time, which bounds its queue.
	 */
	static ForkJoinPool pool() {
		AtomicInteger count = new AtomicInteger();
		return new ForkJoinPool(MAX_THREADS, (pool) -> {
			ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
			thread.setName(NAME + '-' + count.incrementAndGet());
			thread.setContextClassLoader(ListenerThreads.class.getClassLoader());
			return thread;
		}, null, true, 0, MAX_THREADS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);
	}

	/** Notices deadlines; nothing on it may block. */
	static ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-observation-timer");
			thread.setDaemon(true);
			thread.setContextClassLoader(ListenerThreads.class.getClassLoader());
			return thread;
		});
		timer.setRemoveOnCancelPolicy(true);
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

}
