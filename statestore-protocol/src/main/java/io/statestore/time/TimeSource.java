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
 * Time by which a client or server measures its deadlines: its clocks, its timer, and the
 * waits of its threads. Applications use {@link #SYSTEM}, which is the default. Tests
 * pass one controlled time to clients and server, so that their deadlines pass together.
 * <p>
 * A controlled time passes in steps. It waits until the work of each step has ended, so
 * clients and servers report their work: {@link #tracked(Executor) tasks} and
 * {@linkplain #activity activities}. All methods for this purpose do nothing by default.
 * The network itself, such as attempts to connect and the keep-alive of MQTT, always
 * follows the clock of the system, and so do the limits of a shutdown.
 * <p>
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface TimeSource {

	/** Time of the system. */
	TimeSource SYSTEM = System::nanoTime;

	/**
	 * Returns a monotonic time.
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
	 * @return a timer that runs tasks on the given one; by default the given one itself
	 */
	default ScheduledExecutorService timer(ScheduledExecutorService threads) {
		return threads;
	}

	/**
	 * Returns a task that counts as work from now until its end, including the time
	 * before it begins.
	 * @param task the task
	 * @return the task to run; by default the given one itself
	 */
	default Runnable tracked(Runnable task) {
		return task;
	}

	/**
	 * Returns an executor whose tasks count as work from their submission until their
	 * end, except while they wait in {@link #get} or {@link #awaitNanos}.
	 * @param executor runs the tasks
	 * @return the executor to use; by default the given one itself
	 */
	default Executor tracked(Executor executor) {
		return executor;
	}

	/**
	 * Runs code that may block until the application ends it. It does not count as work
	 * of the task that calls this method.
	 * @param code the code
	 */
	default void untracked(Runnable code) {
		code.run();
	}

	/**
	 * Creates an activity without work.
	 * @param name what is under way, for error messages, such as "requests of client a"
	 * @return the activity
	 */
	default Activity activity(String name) {
		return Activity.UNTRACKED;
	}

	/**
	 * Waits for a future.
	 * @param <T> type of the result
	 * @param future the future
	 * @param timeout longest wait, or {@code null} for no limit
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
	 * Waits for a future without a limit. An interrupt does not end the wait; the thread
	 * is interrupted again afterward.
	 * @param <T> type of the result
	 * @param future the future
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
	 * @param lock lock of the condition, held by this thread
	 * @param condition the condition. It may be signaled when the wait ends, and the wait
	 * may end early
	 * @param nanos longest wait in nanoseconds
	 * @return estimate of the remaining nanoseconds, zero or less after the longest wait
	 * @throws InterruptedException if interrupted while waiting
	 */
	default long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
		return condition.awaitNanos(nanos);
	}

	/**
	 * Wakes a thread that waits by {@link #awaitNanos}, like {@link Condition#signal}.
	 * @param condition the condition, whose lock this thread holds
	 */
	default void signal(Condition condition) {
		condition.signal();
	}

	/**
	 * Wakes all threads that wait by {@link #awaitNanos}, like
	 * {@link Condition#signalAll}.
	 * @param condition the condition, whose lock this thread holds
	 */
	default void signalAll(Condition condition) {
		condition.signalAll();
	}

}
