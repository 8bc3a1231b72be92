package io.statestore.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.ClientResources;
import io.statestore.time.Activity;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time that passes only when a test advances it, for clients and a server in one JVM.
 * Pass it to every client, by {@link #clientResources()}, and to the server, by
 * {@code StateStoreBrokerBuilder.time}. Keys, leases, renewals, timeouts of calls and
 * waits, and retries then follow this time.
 * <p>
 * {@link #advance} runs through all deadlines on its way, one after the other. After each
 * one it waits until the work that follows has ended: requests and notifications on the
 * network, key change listeners, callbacks, and continuations of calls. A lock with a
 * lease of 30 s is thus renewed several times while a test advances by a minute, and the
 * outcome does not depend on the speed of the machine.
 * <p>
 * Waits of this JVM for the network follow the time of the system: attempts to connect,
 * the keep-alive of MQTT, fsync, and the limits of a shutdown. A thread that waits for a
 * deadline, for example in {@code tryLock}, needs another thread that advances this time.
 * What a thread of the test does after such a wait is not part of {@link #advance}.
 * <p>
 * Thread-safe.
 */
public final class TestTime implements TimeSource {

	/** Time of the system for which {@link #advance} waits for the work of a step. */
	private static final Duration LIMIT = Duration.ofSeconds(10);

	private static final Logger logger = LoggerFactory.getLogger(TestTime.class);

	private final ReentrantLock advancing = new ReentrantLock();

	private final DueTasks tasks = new DueTasks();

	private final WorkTracker work;

	/** Waits for conditions. The lock of the condition guards the set. */
	private final Map<Condition, Set<TrackedWait>> waits = new ConcurrentHashMap<>();

	/** Interval in which threads of the test that wait in vain are reported. */
	private final Duration limit;

	private final Instant start;

	/** Nanoseconds since the start. */
	private volatile long nanos;

	/** Creates a time that starts now. */
	public TestTime() {
		this(Instant.ofEpochMilli(System.currentTimeMillis()), LIMIT);
	}

	/**
	 * Creates a time with another start.
	 * @param start the first reading of the wall clock
	 */
	public TestTime(Instant start) {
		this(start, LIMIT);
	}

	TestTime(Instant start, Duration limit) {
		this.start = start;
		this.limit = limit;
		this.work = new WorkTracker(limit);
	}

	/**
	 * Returns the wall clock of clients and server.
	 * @return the present time
	 */
	public Instant now() {
		return this.start.plusNanos(this.nanos);
	}

	/**
	 * Lets time pass. Runs every task that becomes due, in the order of their deadlines,
	 * and waits for the work that follows each of them.
	 * @param duration how much time passes; zero only waits for the work under way
	 * @throws IllegalArgumentException if the duration is negative
	 * @throws IllegalStateException if called by a listener or callback of the client, or
	 * if work has not ended within 10 s of the time of the system. The message names the
	 * work. Code of the application that blocks in a listener is a possible cause
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'duration' must not be negative, but is " + duration);
		}
		if (this.work.isTracked()) {
			throw new IllegalStateException("A listener or callback must not advance the time, because the time waits "
					+ "for its end. Advance it on the thread of the test");
		}
		this.advancing.lock();
		try {
			long end = this.nanos + duration.toNanos();
			this.work.awaitEnd();
			for (DueTask next = this.tasks.poll(end); next != null; next = this.tasks.poll(end)) {
				this.nanos = Math.max(this.nanos, next.dueAt());
				next.run();
				this.work.awaitEnd();
			}
			this.nanos = end;
		}
		finally {
			this.advancing.unlock();
		}
	}

	/**
	 * Creates resources of a client that follow this time. Several clients can share
	 * them.
	 * @return new resources
	 */
	public ClientResources clientResources() {
		return new ClientResources(this);
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public long currentTimeMillis() {
		return now().toEpochMilli();
	}

	@Override
	public ScheduledExecutorService timer(ScheduledExecutorService threads) {
		return new TestTimer(this, threads);
	}

	@Override
	public Runnable tracked(Runnable task) {
		return this.work.task(task);
	}

	@Override
	public Executor tracked(Executor executor) {
		return (task) -> {
			TrackedTask tracked = this.work.task(task);
			try {
				executor.execute(tracked);
			}
			catch (RuntimeException | Error ex) {
				tracked.end();
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
		// Without a task, a wait of the code does not count it as work again.
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
		return this.work.activity(name);
	}

	@Override
	public <T extends @Nullable Object> T get(CompletableFuture<T> future, @Nullable Duration timeout)
			throws InterruptedException, ExecutionException, TimeoutException {
		boolean expired = timeout != null && (timeout.isZero() || timeout.isNegative());
		if (!future.isDone() && !expired) {
			await(future, timeout);
		}
		if (!future.isDone()) {
			throw new TimeoutException();
		}
		return future.get();
	}

	private void await(CompletableFuture<?> future, @Nullable Duration timeout)
			throws InterruptedException, ExecutionException {
		TrackedTask task = this.work.current();
		TrackedWait wait = new TrackedWait(task);
		future.whenComplete((result, failure) -> wait.end());
		DueTask deadline = (timeout != null) ? schedule(timeout.toNanos(), wait::end) : null;
		wait.suspendTask();
		try {
			long before = this.nanos;
			while (!wait.await(this.limit)) {
				warnIfTimeStandsStill(task, before);
				before = this.nanos;
			}
		}
		finally {
			wait.end();
			if (deadline != null) {
				this.tasks.remove(deadline);
			}
		}
	}

	/**
	 * Warns that a thread of the test waits in vain.
	 * @param task the task that waits, {@code null} for a thread of the test
	 * @param before the time one interval ago
	 */
	private void warnIfTimeStandsStill(@Nullable TrackedTask task, long before) {
		if (task == null && this.nanos == before) {
			logger.warn("Thread '{}' waits, but no thread has advanced the time for {} s. Advance it on another thread",
					Thread.currentThread().getName(), this.limit.toSeconds());
		}
	}

	@Override
	public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
		if (nanos <= 0) {
			return nanos;
		}
		long before = this.nanos;
		TrackedTask task = this.work.current();
		TrackedWait wait = new TrackedWait(task);
		this.waits.computeIfAbsent(condition, (key) -> new HashSet<>()).add(wait);
		DueTask deadline = schedule(nanos, () -> {
			lock.lock();
			try {
				signalAll(condition);
			}
			finally {
				lock.unlock();
			}
		});
		wait.suspendTask();
		try {
			// Callers check the condition again, so this wait may end early.
			if (!condition.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
				warnIfTimeStandsStill(task, before);
			}
		}
		finally {
			wait.end();
			this.waits.computeIfPresent(condition, (key, waits) -> {
				waits.remove(wait);
				return waits.isEmpty() ? null : waits;
			});
			this.tasks.remove(deadline);
		}
		return nanos - (this.nanos - before);
	}

	@Override
	public void signal(Condition condition) {
		signalAll(condition);
	}

	/** Wakes all threads, whose tasks count as work before they continue. */
	@Override
	public void signalAll(Condition condition) {
		this.waits.getOrDefault(condition, Set.of()).forEach(TrackedWait::end);
		condition.signalAll();
	}

	/**
	 * Schedules a short task that runs on the thread that advances the time.
	 * @return the task, to be removed
	 */
	DueTask schedule(long delay, Runnable task) {
		return this.tasks.add(this.nanos + Math.max(0, delay), task);
	}

	void remove(DueTask task) {
		this.tasks.remove(task);
	}

	WorkTracker work() {
		return this.work;
	}

	@Override
	public String toString() {
		return "TestTime[" + now() + ']';
	}

}
