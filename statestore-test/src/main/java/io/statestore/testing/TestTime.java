package io.statestore.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.ClientResources;
import io.statestore.time.Activity;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes only when a test advances it, for clients and a server in one JVM.
 * Pass it to every client, through {@link #clientResources()}, and to the server, through
 * {@code StateStoreBrokerBuilder.time}. Keys, leases, renewals, timeouts of calls and
 * waits, and retries then follow this time.
 * <p>
 * {@link #advance} passes all deadlines on its way, one after the other. After each
 * deadline, it waits until the work that follows has ended: requests and notifications on
 * the network, key change listeners, callbacks, and continuations of calls. A lock with a
 * lease of 30 s is thus renewed several times while a test advances by a minute, and the
 * outcome does not depend on the speed of the machine.
 * <p>
 * The network, the disk, and shutdown timeouts follow the system clock, for example
 * connection attempts, MQTT keep-alive, and fsync. While a thread waits for a deadline,
 * for example in {@code tryLock}, another thread must advance this time. {@link #advance}
 * does not wait for test threads that continue after such a wait.
 * <p>
 * Thread-safe.
 */
public final class TestTime implements TimeSource {

	/** How long {@link #advance} waits for the work of each step, by the system clock. */
	private static final Duration LIMIT = Duration.ofSeconds(10);

	private final ReentrantLock advancing = new ReentrantLock();

	private final DueTasks tasks = new DueTasks();

	private final WorkTracker work;

	private final ControlledWaits waits;

	private final Instant start;

	/** Creates a time that starts at the current system time. */
	public TestTime() {
		this(Instant.ofEpochMilli(System.currentTimeMillis()), LIMIT);
	}

	/**
	 * Creates a time that starts at a given instant.
	 * @param start first reading of the wall clock
	 */
	public TestTime(Instant start) {
		this(start, LIMIT);
	}

	TestTime(Instant start, Duration limit) {
		this.start = start;
		this.work = new WorkTracker(limit);
		this.waits = new ControlledWaits(this.work, this.tasks, limit);
	}

	/**
	 * Returns the wall clock time of clients and server.
	 * @return the current test time
	 */
	public Instant now() {
		return this.start.plusNanos(nanoTime());
	}

	/**
	 * Lets time pass. Runs all tasks that become due, in the order of their deadlines,
	 * and waits for the work that follows each task.
	 * @param duration amount of time to pass; zero only waits for work in progress
	 * @throws IllegalArgumentException if the duration is negative
	 * @throws IllegalStateException if called by a client's listener or callback, or if
	 * work has not ended within 10 s by the system clock. The message names the work. A
	 * possible cause is application code that blocks in a listener
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'duration' must not be negative, but is " + duration);
		}
		if (this.work.current() != null) {
			throw new IllegalStateException("A listener or callback must not advance the time, because the time waits "
					+ "for its end. Advance it on the thread of the test");
		}
		this.advancing.lock();
		try {
			this.tasks.advance(duration.toNanos(), this.work::awaitEnd);
		}
		finally {
			this.advancing.unlock();
		}
	}

	/**
	 * Creates client resources that follow this time. Several clients can share them.
	 * @return new resources, which the caller must close
	 */
	public ClientResources clientResources() {
		return new ClientResources(this);
	}

	@Override
	public long nanoTime() {
		return this.tasks.nanos();
	}

	@Override
	public long currentTimeMillis() {
		return now().toEpochMilli();
	}

	@Override
	public ScheduledExecutorService timer(ScheduledExecutorService threads) {
		return new TestTimer(this.tasks, threads, tracked((Executor) threads));
	}

	@Override
	public Runnable tracked(Runnable task) {
		return new TrackedTask(this.work, task);
	}

	@Override
	public Executor tracked(Executor executor) {
		return (task) -> {
			TrackedTask tracked = new TrackedTask(this.work, task);
			try {
				executor.execute(tracked);
			}
			catch (RuntimeException | Error ex) {
				tracked.close();
				throw ex;
			}
		};
	}

	@Override
	public void untracked(Runnable code) {
		TrackedTask task = this.work.current();
		if (task == null) {
			code.run();
			return;
		}
		task.suspend();
		// If the code waits, the end of its wait must not count the task as work again.
		this.work.enter(null);
		try {
			code.run();
		}
		finally {
			this.work.enter(task);
			task.resume();
		}
	}

	@Override
	public Activity activity(String name) {
		return new TrackedActivity(this.work, name);
	}

	@Override
	public <T extends @Nullable Object> T get(CompletableFuture<T> future, @Nullable Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		boolean expired = timeout != null && (timeout.isZero() || timeout.isNegative());
		if (!future.isDone() && !expired) {
			this.waits.await(future, timeout);
		}
		if (!future.isDone()) {
			throw new TimeoutException();
		}
		return future.get();
	}

	@Override
	public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
		return (nanos > 0) ? this.waits.await(lock, condition, nanos) : nanos;
	}

	/** Wakes all threads. */
	@Override
	public void signal(Condition condition) {
		signalAll(condition);
	}

	/** Wakes all threads. Their tasks count as work even before the threads continue. */
	@Override
	public void signalAll(Condition condition) {
		this.waits.signalAll(condition);
	}

	@Override
	public String toString() {
		return "TestTime[" + now() + ']';
	}

}
