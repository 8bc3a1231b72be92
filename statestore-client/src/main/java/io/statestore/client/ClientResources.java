package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.time.TimeSource;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The client's time source, timer, and threads. By default, every connection and lock
 * registry creates its own resources, and {@code KeyWatches} use their connection's
 * resources. Connections and registries can share one instance, even if they use
 * different brokers.
 * <p>
 * User code runs on three separate executors, so that a blocked callback of one kind does
 * not delay the other kinds. The executors run call continuations ({@link #replies()}),
 * key change listeners ({@link #listeners()}), and lock callbacks ({@link #callbacks()}).
 * No user code runs on the {@link #timer()}, so locks are renewed and calls time out when
 * due. The timer dispatches watch retries and renewals to {@link #replies()}, because
 * they may call the application's listeners and executors.
 * <p>
 * Threads are daemons, start on demand, and end after ten idle seconds, so resources that
 * are never closed do not leak threads. Thread-safe.
 */
public final class ClientResources implements AutoCloseable {

	/** Number of call continuations that may block before others have to wait. */
	public static final int REPLY_THREADS = 16;

	/** Maximum number of listeners that run simultaneously on platform threads. */
	static final int LISTENER_THREADS = 64;

	/**
	 * Maximum number of lock callbacks that run simultaneously while none of them blocks.
	 */
	static final int CALLBACK_THREADS = 32;

	private static final int MAX_CALLBACK_THREADS = 512;

	/**
	 * Maximum number of reply threads. The pool starts more threads while continuations
	 * block in {@code join()}. If all threads waited for calls, no call would complete,
	 * so this is the largest size that a pool supports. In practice, the maximum number
	 * of pending calls bounds the number of threads.
	 */
	private static final int MAX_REPLY_THREADS = 32_767;

	private static final Duration IDLE = Duration.ofSeconds(10);

	/** Idle time after which pool threads end once {@link #close()} was called. */
	private static final Duration IDLE_AFTER_CLOSE = Duration.ofMillis(10);

	/**
	 * Idle time after which the timer thread ends once {@link #close()} was called. While
	 * a task is scheduled, the thread wakes up at this interval.
	 */
	private static final Duration TIMER_IDLE_AFTER_CLOSE = Duration.ofSeconds(1);

	private final TimeSource time;

	private final ScheduledThreadPoolExecutor networkTimer = createTimer();

	private final ScheduledExecutorService timer;

	private final Executor replies;

	private final ElasticExecutor pooledCallbacks = new ElasticExecutor(daemonThreads("statestore-lock-callback"),
			CALLBACK_THREADS, MAX_CALLBACK_THREADS, this.networkTimer);

	private final Executor callbacks;

	private final ElasticExecutor pooledListeners = new ElasticExecutor(daemonThreads("statestore-listener"),
			LISTENER_THREADS, LISTENER_THREADS, this.networkTimer);

	private final Executor listeners;

	/** Creates resources that use the system clock. */
	public ClientResources() {
		this(TimeSource.SYSTEM);
	}

	/**
	 * Creates resources that use another time source, for tests.
	 * @param time time source for the client's deadlines
	 */
	public ClientResources(TimeSource time) {
		this(time, false, supportsVirtualThreads());
	}

	/**
	 * Creates resources that run all user code on the same kind of thread. The number of
	 * virtual threads is not limited, so blocked callbacks do not delay other callbacks.
	 * By default, only listeners run on virtual threads, on JDK 21 and newer.
	 * @param time time source for the client's deadlines
	 * @param virtualThreads whether to use virtual threads, which require JDK 21, instead
	 * of platform threads
	 * @throws UnsupportedOperationException if virtual threads are not available
	 */
	public ClientResources(TimeSource time, boolean virtualThreads) {
		this(time, virtualThreads, virtualThreads);
	}

	private ClientResources(TimeSource time, boolean virtualThreads, boolean virtualListeners) {
		this.time = Arguments.notNull("time", time);
		this.timer = time.timer(this.networkTimer);
		this.replies = time
			.tracked(virtualThreads ? new VirtualThreadTaskExecutor("statestore-reply-") : createReplies());
		this.callbacks = time.tracked(
				virtualThreads ? new VirtualThreadTaskExecutor("statestore-lock-callback-") : this.pooledCallbacks);
		this.listeners = time
			.tracked(virtualListeners ? new VirtualThreadTaskExecutor("statestore-listener-") : this.pooledListeners);
	}

	private static boolean supportsVirtualThreads() {
		return Runtime.version().feature() >= 21;
	}

	private static ScheduledThreadPoolExecutor createTimer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemonThreads("statestore-timer"));
		timer.setKeepAliveTime(IDLE.toNanos(), TimeUnit.NANOSECONDS);
		timer.allowCoreThreadTimeOut(true);
		timer.setRemoveOnCancelPolicy(true);
		return timer;
	}

	private static Executor createReplies() {
		AtomicInteger count = new AtomicInteger();
		return new ForkJoinPool(REPLY_THREADS, (pool) -> {
			ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
			thread.setName("statestore-reply-" + count.incrementAndGet());
			// By default, workers use the JVM's class loader, which does not find the
			// classes of a packaged application.
			thread.setContextClassLoader(ClientResources.class.getClassLoader());
			return thread;
		}, null, true, REPLY_THREADS, MAX_REPLY_THREADS, 1, (pool) -> true, IDLE.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Returns a factory of daemon threads that use this library's class loader.
	 * @param name prefix of the thread names; a number is appended
	 * @return the factory
	 */
	public static ThreadFactory daemonThreads(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + count.incrementAndGet());
			thread.setDaemon(true);
			thread.setContextClassLoader(ClientResources.class.getClassLoader());
			return thread;
		};
	}

	/**
	 * Returns the time source used for deadlines.
	 * @return the time source
	 */
	public TimeSource time() {
		return this.time;
	}

	/**
	 * Returns the timer, which has a single thread. Its delays are measured by
	 * {@link #time()}. Its tasks must not block.
	 * @return the timer
	 */
	public ScheduledExecutorService timer() {
		return this.timer;
	}

	/**
	 * Returns a timer that shares the thread of {@link #timer()}, but always measures
	 * delays by the system clock. It is meant for retries that wait for the network.
	 * @return the timer
	 */
	public ScheduledExecutorService networkTimer() {
		return this.networkTimer;
	}

	/**
	 * Returns the executor that completes call futures and thereby runs their
	 * continuations. On platform threads, it runs {@value #REPLY_THREADS} simultaneously,
	 * and more if they block in {@code join()} of another future. A connection's
	 * continuations share a thread, so a blocking continuation may delay others by up to
	 * 10 ms. The executor also runs watch retries and renewals.
	 * @return the executor
	 */
	public Executor replies() {
		return this.replies;
	}

	/**
	 * Returns the executor of key change listeners, which uses virtual threads or up to
	 * 64 platform threads. If all 64 platform threads wait for another listener, none of
	 * them continues.
	 * @return the executor
	 */
	public Executor listeners() {
		return this.listeners;
	}

	/**
	 * Returns the executor of lock callbacks, which uses virtual threads or up to 32
	 * platform threads. While callbacks wait because others block all platform threads,
	 * the limit grows by 32 threads every second, up to 512.
	 * @return the executor
	 */
	public Executor callbacks() {
		return this.callbacks;
	}

	/**
	 * Shortens the idle time after which threads end: to 10 ms for the pools, and to one
	 * second for the {@link #timer()}. The idle time of {@link #replies()} does not
	 * change. Scheduled and later tasks still run: calls in flight complete, and locks
	 * are released, even after the application has closed its beans. Can be called
	 * repeatedly.
	 */
	@Override
	public void close() {
		this.networkTimer.setKeepAliveTime(TIMER_IDLE_AFTER_CLOSE.toNanos(), TimeUnit.NANOSECONDS);
		this.pooledCallbacks.setIdleTime(IDLE_AFTER_CLOSE);
		this.pooledListeners.setIdleTime(IDLE_AFTER_CLOSE);
	}

}
