package io.statestore.client.mqtt;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of one connection other than those of its links. All are daemons that end when
 * idle, so they need no shutdown and do not keep the JVM alive.
 * <p>
 * Internal: not part of the API.
 */
public final class ClientThreads {

	/** Number of continuations that may block before other continuations wait. */
	static final int COMPLETION_THREADS = 16;

	/**
	 * Maximum number of threads if continuations block in {@code join()}, for which the
	 * pool starts further threads. The highest possible number, because no future would
	 * ever complete if all threads waited.
	 */
	static final int MAX_COMPLETION_THREADS = 32_767;

	private static final int IDLE_SECONDS = 10;

	/** Completes the futures of calls. */
	final ForkJoinPool completions;

	/** Runs short tasks at their time. Tasks must not block. */
	final ScheduledExecutorService timer;

	ClientThreads(String clientId) {
		// The default would be the class loader of the JVM, not of the application.
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

	/**
	 * Returns a factory of daemon threads.
	 * @param name prefix of their names
	 * @param clientId MQTT client id, the suffix of their names
	 * @return the factory
	 */
	public static ThreadFactory daemons(String name, String clientId) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + count.incrementAndGet() + ' ' + clientId);
			thread.setDaemon(true);
			thread.setContextClassLoader(ClientThreads.class.getClassLoader());
			return thread;
		};
	}

}
