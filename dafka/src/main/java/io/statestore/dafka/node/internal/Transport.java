package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.dafka.Ticker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads and writes a node's sockets and takes turns. An error on this
 * thread becomes the node's {@link #failure()}. The methods of this class are
 * thread-safe; only this thread uses the sockets.
 */
final class Transport implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Transport.class);

	private static final long MAX_TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final int LINGER_CHECK_MILLIS = 1;

	private final MultiThreadIoEventLoopGroup group;

	final EventLoop loop;

	final String name;

	final Ticker ticker;

	final Refusals refusals;

	/** Keys of the node and its peers; {@code null} without CURVE. */
	final @Nullable CurveSecurity security;

	/**
	 * Number of ticks without any received byte after which a connection counts as dead.
	 */
	final int timeoutTicks;

	final long tickNanos;

	/** Looks up the hosts of endpoints. Tests replace it. */
	HostResolver resolver = HostResolver.SYSTEM;

	private final List<Resource> resources = new ArrayList<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private volatile boolean stopping;

	private volatile @Nullable Throwable failure;

	private @Nullable LongSupplier turn;

	private Runnable end = () -> {
	};

	private long lingerNanos;

	/** Starts the next turn unless {@link #wake} is called earlier. */
	private @Nullable Future<?> timer;

	/**
	 * Creates the thread, which waits for {@link #start}.
	 * @param name name of the node, for the thread and the log
	 * @param connectionTimeout inactivity after which a connection is closed
	 * @param ticker clock for the log
	 * @param security keys of the node and its peers, closed when this transport ends;
	 * {@code null} without CURVE
	 */
	Transport(String name, Duration connectionTimeout, Ticker ticker, @Nullable CurveSecurity security) {
		this.name = name;
		this.ticker = ticker;
		this.security = security;
		this.refusals = new Refusals(ticker);
		this.tickNanos = Math.min(MAX_TICK_NANOS, connectionTimeout.dividedBy(4).toNanos());
		this.timeoutTicks = (int) (connectionTimeout.toNanos() / this.tickNanos);
		this.group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name, true),
				NioIoHandler.newFactory());
		this.loop = this.group.next();
		this.loop.scheduleWithFixedDelay(this::tick, this.tickNanos, this.tickNanos, TimeUnit.NANOSECONDS);
	}

	/** Adds a socket, which is closed when this transport ends. */
	void add(Resource resource) {
		this.loop.execute(() -> this.resources.add(resource));
	}

	/**
	 * Starts taking turns: the first turn immediately, later turns when they are due or
	 * {@link #wake} is called.
	 * @param turn takes a turn and returns the time in nanoseconds until the next turn
	 * @param end called after the last turn
	 * @param linger how long to transmit queued messages after the last turn, at most
	 */
	void start(LongSupplier turn, Runnable end, Duration linger) {
		this.loop.execute(() -> {
			this.turn = turn;
			this.end = end;
			this.lingerNanos = linger.toNanos();
			run();
		});
	}

	/** Starts a turn immediately, or right after the turn in progress. */
	void wake() {
		if (!this.scheduled.get() && this.scheduled.compareAndSet(false, true)) {
			try {
				this.loop.execute(() -> schedule(0));
			}
			catch (RejectedExecutionException ex) {
				// The node is closed.
			}
		}
	}

	/**
	 * Schedules the next turn. Netty reads the network before it runs a scheduled task,
	 * but may run other tasks for a second before it reads.
	 */
	private void schedule(long delay) {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		this.timer = this.loop.schedule(this::run, Math.max(0, delay), TimeUnit.NANOSECONDS);
	}

	private void run() {
		this.scheduled.set(false);
		LongSupplier turn = this.turn;
		if (turn == null) {
			return;
		}
		if (this.stopping || this.failure != null) {
			this.turn = null;
			finish();
			return;
		}
		guard(() -> schedule(turn.getAsLong()));
	}

	private void tick() {
		guard(() -> this.resources.forEach(Resource::tick));
	}

	/** Runs a task on the node's thread. An error in the task ends the node. */
	void guard(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	void fail(Throwable failure) {
		if (this.failure == null && !this.stopping) {
			this.failure = failure;
			logger.error("{} failed. Close it and start another", this.name, failure);
		}
		wake();
	}

	/**
	 * Returns the error that ended the thread.
	 * @return the error, or {@code null} if there is none
	 */
	@Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Stops taking turns and waits until the sockets are closed. An interrupt does not
	 * end the wait.
	 * @param timeout maximum time to wait
	 */
	void stop(Duration timeout) {
		this.stopping = true;
		wake();
		this.loop.terminationFuture().awaitUninterruptibly(timeout.toMillis());
	}

	private void finish() {
		try {
			this.end.run();
		}
		catch (Throwable ex) {
			logger.error("Closing {} failed", this.name, ex);
		}
		this.resources.forEach(Resource::stop);
		linger(System.nanoTime() + this.lingerNanos);
	}

	private void linger(long deadline) {
		if (System.nanoTime() - deadline < 0 && !this.resources.stream().allMatch(Resource::isFlushed)) {
			this.loop.schedule(() -> linger(deadline), LINGER_CHECK_MILLIS, TimeUnit.MILLISECONDS);
			return;
		}
		closeAll();
	}

	private void closeAll() {
		this.resources.forEach(Resource::close);
		if (this.security != null) {
			this.security.close();
		}
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
	}

	/** Closes all sockets. For nodes that were not started. */
	@Override
	public void close() {
		this.stopping = true;
		this.loop.submit(this::closeAll).syncUninterruptibly();
	}

	/** Socket that the thread reads and writes. */
	interface Resource {

		/** Checks the connections. Called at least once per second. */
		void tick();

		/** Stops accepting and making connections. */
		void stop();

		/** Returns whether all queued messages were transmitted. */
		boolean isFlushed();

		void close();

	}

}
