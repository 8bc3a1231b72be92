package io.statestore.client.observation;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
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
			return pool();
		}
	}

	/**
	 * Starts a thread only when all existing ones are busy. One task per listener waits
	 * at a time, which bounds the queue. The task that waits longest is next.
	 */
	static ThreadPoolExecutor pool() {
		IdleThreads idle = new IdleThreads();
		return new ThreadPoolExecutor(0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, idle, daemons(NAME),
				(task, pool) -> {
					if (pool.isShutdown()) {
						throw new RejectedExecutionException("Listeners are no longer called");
					}
					idle.await(task);
				});
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

	/**
	 * Refuses what no thread is waiting for, whereupon the pool starts one, or, if it may
	 * not, lets the task wait all the same.
	 */
	private static final class IdleThreads extends LinkedTransferQueue<Runnable> {

		private static final long serialVersionUID = 1L;

		@Override
		public boolean offer(Runnable task) {
			return tryTransfer(task);
		}

		void await(Runnable task) {
			super.offer(task);
		}

	}

}
