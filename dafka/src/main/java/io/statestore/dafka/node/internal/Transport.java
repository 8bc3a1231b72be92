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
 * Thread of a node, which reads and writes its sockets, and takes turns. An error on this
 * thread becomes the {@link #failure()} of the node. The methods of this class are
 * thread-safe; sockets are used by this thread only.
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

	/** Keys of the node and its peers, {@code null} without CURVE. */
	final @Nullable CurveSecurity security;

	/** Number of ticks without a byte after which a connection is dead. */
	final int timeoutTicks;

	final long tickNanos;

	/** Looks up the hosts of endpoints. Tests replace it. */
	HostResolver resolver = HostResolver.SYSTEM;

	private final List<Resource> resources = new ArrayList<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private volatile boolean stopping;

	private volatile @Nullable Throwable failure;

	/** Takes a turn, and returns the time in nanoseconds until the next one. */
	private @Nullable LongSupplier turn;

	private Runnable end = () -> {
	};

	private long lingerNanos;

	/** Starts the next turn, unless something arrives earlier. */
	private @Nullable Future<?> timer;

	/**
	 * Creates the thread, which waits for {@link #start}.
	 * @param name name of the node, for the thread and the log
	 * @param connectionTimeout inactivity after which a connection is closed
	 * @param ticker clock for the log
	 * @param security keys of the node and its peers, which the end of this transport
	 * closes, or {@code null} without CURVE
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

	/** Adds a socket, which this transport closes. */
	void add(Resource resource) {
		this.loop.execute(() -> this.resources.add(resource));
	}

	/**
	 * Starts to take turns: the first one immediately, the others when they are due or
	 * {@link #wake} is called.
	 * @param turn takes a turn, and returns the time in nanoseconds until the next one
	 * @param end called after the last turn
	 * @param linger maximum time to transmit sent messages after the last turn
	 */
	void start(LongSupplier turn, Runnable end, Duration linger) {
		this.loop.execute(() -> {
			this.turn = turn;
			this.end = end;
			this.lingerNanos = linger.toNanos();
			run();
		});
	}

	/** Starts a turn, also after one that is taking place. */
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
	 * but may run others for a second.
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

	/** Runs a task on the thread of the node, which an error ends. */
	void guard(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	/** Ends the node because of an error. */
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
	 * Stops to take turns, and waits until the sockets are closed. An interrupt does not
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

	/** Closes all sockets of a node that was not started. */
	@Override
	public void close() {
		this.stopping = true;
		this.loop.submit(this::closeAll).syncUninterruptibly();
	}

	/** A socket. */
	interface Resource {

		/** Checks the connections. Called at least once a second. */
		void tick();

		/** Accepts no more connections and makes no more. */
		void stop();

		/** Returns whether all sent messages were transmitted. */
		boolean isFlushed();

		/** Closes all connections. */
		void close();

	}

}
