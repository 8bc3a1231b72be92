package io.statestore.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * The time by which a client or server measures its deadlines: its clocks, its timer, and
 * its threads' waits. Applications use {@link #SYSTEM}, which is the default. Tests pass
 * the same controlled time to clients and servers, so that their deadlines pass together.
 * <p>
 * A controlled time advances in steps. It waits until the work in each step has ended, so
 * clients and servers report their work: {@link #tracked(Executor) tasks} and
 * {@linkplain #activity activities}. By default, the methods for this purpose do nothing.
 * Network operations, such as connection attempts and the MQTT keep-alive, and shutdown
 * timeouts always use the system clock.
 * <p>
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface TimeSource {

	/** The system's time. */
	TimeSource SYSTEM = System::nanoTime;

	/**
	 * Returns the monotonic clock.
	 * @return nanoseconds since an arbitrary origin, like {@link System#nanoTime()}
	 */
	long nanoTime();

	/**
	 * Returns the wall clock.
	 * @return milliseconds since 1970, like {@link System#currentTimeMillis()}
	 */
	default long currentTimeMillis() {
		return System.currentTimeMillis();
	}

	/**
	 * Returns a timer whose delays follow this time.
	 * @param threads runs the tasks
	 * @return a timer that runs its tasks on {@code threads}; by default {@code threads}
	 * itself
	 */
	default ScheduledExecutorService timer(ScheduledExecutorService threads) {
		return threads;
	}

	/**
	 * Returns a task that counts as work from now until it ends, including the time
	 * before it begins.
	 * @param task the task to track
	 * @return the task to run; by default the given task itself
	 */
	default Runnable tracked(Runnable task) {
		return task;
	}

	/**
	 * Returns an executor whose tasks count as work from their submission until their
	 * end, except while they wait in {@link #get} or {@link #awaitNanos}.
	 * @param executor runs the tasks
	 * @return the executor to use; by default the given executor itself
	 */
	default Executor tracked(Executor executor) {
		return executor;
	}

	/**
	 * Runs code that may block until the application ends it. Meanwhile, the calling task
	 * does not count as work.
	 * @param code the code to run
	 */
	default void untracked(Runnable code) {
		code.run();
	}

	/**
	 * Creates an activity without work.
	 * @param name the kind of work, for error messages, such as "requests of client a"
	 * @return a new activity
	 */
	default Activity activity(String name) {
		return Activity.UNTRACKED;
	}

	/**
	 * Waits for a future.
	 * @param <T> type of the result
	 * @param future the future to wait for
	 * @param timeout maximum time to wait, or {@code null} for no limit
	 * @return the result of the future
	 * @throws InterruptedException if interrupted while waiting
	 * @throws ExecutionException if the future failed
	 * @throws TimeoutException if the timeout has passed
	 */
	default <T extends @Nullable Object> T get(CompletableFuture<T> future, @Nullable Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		return (timeout != null) ? future.get(timeout.toNanos(), TimeUnit.NANOSECONDS) : future.get();
	}

	/**
	 * Waits for a future without a timeout. An interrupt does not end the wait; the
	 * thread's interrupt flag is set again afterward.
	 * @param <T> type of the result
	 * @param future the future to wait for
	 * @return the result of the future
	 * @throws ExecutionException if the future failed
	 */
	default <T extends @Nullable Object> T join(CompletableFuture<T> future) throws ExecutionException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return get(future, null);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (TimeoutException ex) {
					throw new IllegalStateException("A wait without a limit ended", ex);
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Waits for a condition, like {@link Condition#awaitNanos}.
	 * @param lock the condition's lock, held by this thread
	 * @param condition the condition. It may be signaled when the wait ends, and the wait
	 * may end early
	 * @param nanos maximum time to wait, in nanoseconds
	 * @return estimate of the remaining nanoseconds, zero or less if the time has elapsed
	 * @throws InterruptedException if interrupted while waiting
	 */
	default long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
		return condition.awaitNanos(nanos);
	}

	/**
	 * Wakes a thread that is waiting in {@link #awaitNanos}, like
	 * {@link Condition#signal}.
	 * @param condition the condition, whose lock this thread holds
	 */
	default void signal(Condition condition) {
		condition.signal();
	}

	/**
	 * Wakes all threads that are waiting in {@link #awaitNanos}, like
	 * {@link Condition#signalAll}.
	 * @param condition the condition, whose lock this thread holds
	 */
	default void signalAll(Condition condition) {
		condition.signalAll();
	}

}
