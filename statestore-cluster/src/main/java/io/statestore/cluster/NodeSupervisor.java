package io.statestore.cluster;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.log.DamagedLogException;
import io.statestore.broker.log.LogException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a JRaft node running. If it has ended because of a disk error, starts another
 * node, and retries until that succeeds. The machine keeps its state in the meantime.
 * Thread-safe.
 *
 * @param <N> type of the node
 */
final class NodeSupervisor<N extends NodeSupervisor.Supervised> implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(NodeSupervisor.class);

	static final long FIRST_PAUSE_MILLIS = 1_000;

	private static final long MAX_PAUSE_MILLIS = 30_000;

	/** How long a node must have run for the next error to count as a new problem. */
	private static final long HEALTHY_NANOS = TimeUnit.MINUTES.toNanos(2);

	private final Member self;

	private final Starter<N> starter;

	private final Consumer<Throwable> onFailure;

	private final ScheduledExecutorService executor;

	private volatile @Nullable N current;

	/** Latest error, {@code null} once the node has started again. */
	private volatile @Nullable Throwable failure;

	private final long firstPauseMillis;

	private long pauseMillis;

	private long started = System.nanoTime();

	private boolean restarting;

	/** Whether the node has ended since its latest start began. */
	private boolean endedAgain;

	/** Whether the node has failed permanently, so that restarting cannot repair it. */
	private boolean failedForGood;

	private boolean closed;

	/**
	 * Creates a supervisor.
	 * @param starter starts a node
	 * @param onFailure receives an error that restarting cannot repair
	 * @param executor runs restarts, which may wait for other tasks of the executor
	 * @param firstPauseMillis pause before the first restart, in milliseconds; it doubles
	 * with each attempt
	 */
	NodeSupervisor(Member self, Starter<N> starter, Consumer<Throwable> onFailure, ScheduledExecutorService executor,
			long firstPauseMillis) {
		this.self = self;
		this.starter = starter;
		this.onFailure = onFailure;
		this.executor = executor;
		this.firstPauseMillis = firstPauseMillis;
		this.pauseMillis = firstPauseMillis;
	}

	/** Starts the node for the first time. */
	void start() throws IOException {
		N first = this.starter.start();
		Throwable cause;
		boolean ended;
		synchronized (this) {
			this.current = first;
			cause = this.failure;
			ended = this.endedAgain;
		}
		endNodeIfFailed();
		if (ended && cause != null) {
			restart(cause);
		}
	}

	/** Returns the node, which may have ended. */
	N current() {
		N current = this.current;
		if (current == null) {
			throw new IllegalStateException("The node was not started");
		}
		return current;
	}

	/** Returns why the node is not running, or {@code null} if it is. */
	@Nullable Throwable failure() {
		return this.failure;
	}

	/** Starts the node again, after a pause, because it has ended. */
	void restart(Throwable cause) {
		synchronized (this) {
			this.endedAgain = true;
			if (this.restarting || this.failedForGood || this.closed) {
				return;
			}
			this.failure = cause;
			if (this.current == null) {
				// The first start is under way.
				return;
			}
			if (System.nanoTime() - this.started > HEALTHY_NANOS) {
				this.pauseMillis = this.firstPauseMillis;
			}
			this.restarting = true;
		}
		logger.error("Node {} has stopped: {}. It restarts automatically. Check its disk and the free space on it",
				this.self, cause.getMessage());
		schedule();
	}

	private synchronized void schedule() {
		long pause = this.pauseMillis;
		this.pauseMillis = Math.min(2 * pause, MAX_PAUSE_MILLIS);
		try {
			this.executor.schedule(this::replace, pause, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The node was closed.
		}
	}

	/**
	 * Shuts down the node permanently, because of an error that restarting cannot repair.
	 */
	void fail(Throwable cause) {
		synchronized (this) {
			if (this.failedForGood) {
				return;
			}
			this.failedForGood = true;
			this.failure = cause;
		}
		try {
			endNodeIfFailed();
		}
		finally {
			this.onFailure.accept(cause);
		}
		logger.error("Node {} has failed and does not restart automatically: {}. Fix the problem and restart the node. "
				+ "If its data is damaged, replace the node", this.self, cause.toString());
	}

	/**
	 * Shuts down a permanently failed node so that it cannot lead. Called repeatedly,
	 * because an attempt may fail if memory is short.
	 */
	void endNodeIfFailed() {
		N node;
		Throwable cause;
		synchronized (this) {
			node = this.failedForGood ? this.current : null;
			cause = this.failure;
		}
		if (node != null && cause != null) {
			node.fail(cause);
		}
	}

	private void replace() {
		synchronized (this) {
			if (this.closed || this.failedForGood) {
				return;
			}
		}
		try {
			current().close();
			synchronized (this) {
				this.endedAgain = false;
			}
			replaced(this.starter.start());
		}
		catch (DamagedLogException ex) {
			fail(ex);
		}
		catch (IOException | LogException ex) {
			logger.warn("Node {} cannot start yet: {}. Trying again within {} s", this.self, ex.getMessage(),
					MAX_PAUSE_MILLIS / 1_000);
			retry(ex);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Node {} cannot start yet. Trying again within {} s", this.self, MAX_PAUSE_MILLIS / 1_000, ex);
			retry(ex);
		}
	}

	private void retry(Throwable cause) {
		synchronized (this) {
			if (this.failedForGood) {
				return;
			}
			this.failure = cause;
		}
		schedule();
	}

	private void replaced(N next) {
		boolean closedMeanwhile;
		boolean ended;
		synchronized (this) {
			this.current = next;
			this.started = System.nanoTime();
			closedMeanwhile = this.closed;
			ended = this.endedAgain;
			if (!ended && !this.failedForGood) {
				this.restarting = false;
				this.failure = null;
			}
		}
		endNodeIfFailed();
		if (closedMeanwhile) {
			next.close();
		}
		else if (ended) {
			schedule();
		}
		else {
			logger.info("Node {} has started again", this.self);
		}
	}

	/** Stops the node. */
	@Override
	public void close() {
		N last;
		synchronized (this) {
			this.closed = true;
			last = this.current;
		}
		if (last != null) {
			last.close();
		}
	}

	/**
	 * Starts a node.
	 *
	 * @param <N> type of the node
	 */
	@FunctionalInterface
	interface Starter<N> {

		N start() throws IOException;

	}

	/** A node that can be replaced by another node. */
	interface Supervised {

		/**
		 * Makes the node leave the cluster, because its machine has failed. Does not
		 * wait. Has no effect on a node that has ended.
		 */
		void fail(Throwable cause);

		/** Stops the node, and waits until it has stopped. */
		void close();

	}

}
