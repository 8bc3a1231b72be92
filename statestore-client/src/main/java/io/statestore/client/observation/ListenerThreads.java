package io.statestore.client.observation;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
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
			// Only one task per listener waits at a time, which bounds the queue.
			ThreadPoolExecutor pool = new ThreadPoolExecutor(MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
					new LinkedBlockingQueue<>(), daemons(NAME));
			pool.allowCoreThreadTimeOut(true);
			return pool;
		}
	}

	/** Notices deadlines; nothing on it may block. */
	static ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("statestore-observation-timer"));
		timer.setRemoveOnCancelPolicy(true);
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

	private static ThreadFactory daemons(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + count.incrementAndGet());
			thread.setDaemon(true);
			thread.setContextClassLoader(ListenerThreads.class.getClassLoader());
			return thread;
		};
	}

}
