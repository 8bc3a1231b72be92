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
 * Time, timer, and threads of the client. By default, every connection and lock registry
 * creates resources of its own, and {@code KeyWatches} use those of their connection.
 * Several of them, also for different brokers, can share one object.
 * <p>
 * User code runs on three separate executors, so that a blocked callback of one kind does
 * not delay the other kinds. They run continuations of calls ({@link #replies()}), key
 * change listeners ({@link #listeners()}), and callbacks of locks ({@link #callbacks()}).
 * No user code runs on the {@link #timer()}, so locks are renewed and calls end on time.
 * The timer hands retries and renewals of watches over to {@link #replies()}, because
 * they may call listeners and executors of the application.
 * <p>
 * Threads are daemons, start on demand, and end after ten idle seconds. Resources that
 * are never closed therefore leak no threads. Safe for use by several threads.
 */
public final class ClientResources implements AutoCloseable {

	/** Number of continuations of calls that may block before others wait. */
	public static final int REPLY_THREADS = 16;

	/** Number of listeners that run at once on platform threads. */
	static final int LISTENER_THREADS = 64;

	/** Number of lock callbacks that run at once while none of them blocks. */
	static final int CALLBACK_THREADS = 32;

	private static final int MAX_CALLBACK_THREADS = 512;

	/**
	 * Maximum number of reply threads. The pool starts further threads while
	 * continuations block in {@code join()}. If all threads waited for calls, no call
	 * would complete, so this is the maximum that a pool supports. The maximum number of
	 * pending calls bounds the number of threads in practice.
	 */
	private static final int MAX_REPLY_THREADS = 32_767;

	private static final Duration IDLE = Duration.ofSeconds(10);

	/** Idle time after {@link #close()}, except for the timer. */
	private static final Duration IDLE_AFTER_CLOSE = Duration.ofMillis(10);

	/**
	 * Idle time of the timer after {@link #close()}. While a task is scheduled, the
	 * thread wakes up whenever this time has passed.
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

	/** Creates resources that follow the time of the system. */
	public ClientResources() {
		this(TimeSource.SYSTEM);
	}

	/**
	 * Creates resources that follow another time, for tests.
	 * @param time measures the deadlines of the client
	 */
	public ClientResources(TimeSource time) {
		this(time, false, supportsVirtualThreads());
	}

	/**
	 * Creates resources that run all user code on threads of one kind. The number of
	 * virtual threads is not limited, so blocked callbacks do not delay other callbacks.
	 * By default, only listeners run on virtual threads, on JDK 21 and newer.
	 * @param time measures the deadlines of the client
	 * @param virtualThreads whether to use virtual threads, which require JDK 21
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
			// Workers otherwise have the class loader of the JVM, which does not find the
			// classes of a packaged application.
			thread.setContextClassLoader(ClientResources.class.getClassLoader());
			return thread;
		}, null, true, REPLY_THREADS, MAX_REPLY_THREADS, 1, (pool) -> true, IDLE.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Returns a factory of daemon threads with the class loader of this library.
	 * @param name prefix of the thread names, to which a number is added
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
	 * Returns the time by which deadlines are measured.
	 * @return the time
	 */
	public TimeSource time() {
		return this.time;
	}

	/**
	 * Returns the timer, which has a single thread. Its delays follow the
	 * {@link #time()}. Its tasks must not block.
	 * @return the timer
	 */
	public ScheduledExecutorService timer() {
		return this.timer;
	}

	/**
	 * Returns a timer whose delays always follow the time of the system, on the thread of
	 * the {@link #timer()}. It serves retries that wait for the network.
	 * @return the timer
	 */
	public ScheduledExecutorService networkTimer() {
		return this.networkTimer;
	}

	/**
	 * Returns the executor that completes the futures of calls, and thereby runs their
	 * continuations. On platform threads, it runs {@value #REPLY_THREADS} at once, and
	 * more if they block in {@code join()} of another future. The continuations of one
	 * connection share a thread; one that blocks may delay others by up to 10 ms. It also
	 * runs the retries and renewals of watches.
	 * @return the executor
	 */
	public Executor replies() {
		return this.replies;
	}

	/**
	 * Returns the executor of key change listeners: virtual threads, or up to 64 platform
	 * threads. If 64 listeners on platform threads wait for a further listener, none of
	 * them continues.
	 * @return the executor
	 */
	public Executor listeners() {
		return this.listeners;
	}

	/**
	 * Returns the executor of lock callbacks: virtual threads, or up to 32 platform
	 * threads. While callbacks on platform threads wait because others block, 32 threads
	 * are added every second, up to 512.
	 * @return the executor
	 */
	public Executor callbacks() {
		return this.callbacks;
	}

	/**
	 * Shortens the idle time after which threads end to 10 ms, that of the
	 * {@link #timer()} to one second. That of {@link #replies()} does not change.
	 * Scheduled and later tasks still run: calls in flight complete, and locks are
	 * released, even after an application has closed its beans. Can be called repeatedly.
	 */
	@Override
	public void close() {
		this.networkTimer.setKeepAliveTime(TIMER_IDLE_AFTER_CLOSE.toNanos(), TimeUnit.NANOSECONDS);
		this.pooledCallbacks.setIdleTime(IDLE_AFTER_CLOSE);
		this.pooledListeners.setIdleTime(IDLE_AFTER_CLOSE);
	}

}
