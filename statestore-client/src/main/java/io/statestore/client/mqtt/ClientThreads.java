package io.statestore.client.mqtt;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one connection besides those of Paho. All are daemons and go away when
 * idle, so that nothing needs to be shut down and none keeps the JVM alive.
 */
final class ClientThreads {

	/** How many continuations may block before others wait. */
	static final int COMPLETION_THREADS = 16;

	/**
	 * As above where they block in {@code join()}, which makes room for another: as many
	 * as can be, because with all of them waiting no future would ever complete. Those
	 * that wait for calls are no more than may be pending.
	 */
	static final int MAX_COMPLETION_THREADS = 32_767;

	private static final int IDLE_SECONDS = 10;

	/** Completes the futures of calls. */
	final ForkJoinPool completions;

	/** Notices deadlines; nothing on it may block. */
	final ScheduledExecutorService timer;

	ClientThreads(String clientId) {
		// Otherwise workers see the loader of the JVM, not that of a packaged
		// application.
		ClassLoader classLoader = ClientThreads.class.getClassLoader();
		AtomicInteger count = new AtomicInteger();
		this.completions = new ForkJoinPool(COMPLETION_THREADS, (pool) -> {
			ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
			thread.setName("statestore-reply-" + count.incrementAndGet() + ' ' + clientId);
			thread.setContextClassLoader(classLoader);
			return thread;
		}, null, true, COMPLETION_THREADS, MAX_COMPLETION_THREADS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("statestore-timer", clientId));
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		timer.setRemoveOnCancelPolicy(true);
		this.timer = timer;
	}

	static ThreadFactory daemons(String name, String clientId) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + count.incrementAndGet() + ' ' + clientId);
			thread.setDaemon(true);
			thread.setContextClassLoader(ClientThreads.class.getClassLoader());
			return thread;
		};
	}

}
