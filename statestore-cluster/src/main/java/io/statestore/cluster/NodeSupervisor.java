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
 * Keeps a node of JRaft running: starts another one when it has ended because of an error
 * of the disk, until that succeeds. The machine keeps its state meanwhile. Thread-safe.
 */
final class NodeSupervisor implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(NodeSupervisor.class);

	private static final long FIRST_PAUSE_MILLIS = 1_000;

	private static final long MAX_PAUSE_MILLIS = 30_000;

	/** Time after which an error counts as a new one. */
	private static final long HEALTHY_NANOS = TimeUnit.MINUTES.toNanos(2);

	private final Member self;

	private final Starter starter;

	private final Consumer<Throwable> failed;

	private final ScheduledExecutorService executor;

	private volatile @Nullable JRaftNode current;

	/** Reason of the latest error, until the node has started again. */
	private volatile @Nullable Throwable failure;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private long started = System.nanoTime();

	private boolean restarting;

	/** Whether the node has ended while it was being started. */
	private boolean endedAgain;

	private boolean closed;

	/**
	 * Creates a supervisor.
	 * @param starter starts a node
	 * @param failed receives an error that a further start cannot repair
	 * @param executor runs further starts, which may wait for other tasks in it
	 */
	NodeSupervisor(Member self, Starter starter, Consumer<Throwable> failed, ScheduledExecutorService executor) {
		this.self = self;
		this.starter = starter;
		this.failed = failed;
		this.executor = executor;
	}

	/** Starts the node for the first time. */
	void start() throws IOException {
		this.current = this.starter.start();
	}

	/** Returns the node, which may have ended. */
	JRaftNode current() {
		JRaftNode current = this.current;
		if (current == null) {
			throw new IllegalStateException("The node was not started");
		}
		return current;
	}

	/** Returns the reason why the node does not run, or {@code null} if it does. */
	@Nullable Throwable failure() {
		return this.failure;
	}

	/** Starts the node again after a pause, because it has ended. */
	void restart(Throwable cause) {
		synchronized (this) {
			this.endedAgain = true;
			if (this.restarting || this.closed || this.current == null) {
				return;
			}
			if (System.nanoTime() - this.started > HEALTHY_NANOS) {
				this.pauseMillis = FIRST_PAUSE_MILLIS;
			}
			this.restarting = true;
			this.failure = cause;
		}
		logger.error("Node {} has stopped: {}. Check its disk and the space on it; the node starts again by itself",
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

	/** Ends for good, because of an error that a further start cannot repair. */
	void fail(Throwable cause) {
		this.failure = cause;
		logger.error("Node {} has failed: {}", this.self, cause.getMessage());
		this.failed.accept(cause);
	}

	private void replace() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
		}
		current().close();
		synchronized (this) {
			this.endedAgain = false;
		}
		try {
			replaced(this.starter.start());
		}
		catch (DamagedLogException ex) {
			fail(ex);
		}
		catch (IOException | LogException ex) {
			logger.warn("Node {} cannot start yet: {}", this.self, ex.getMessage());
			this.failure = ex;
			schedule();
		}
	}

	private void replaced(JRaftNode next) {
		boolean late;
		boolean ended;
		synchronized (this) {
			this.current = next;
			this.started = System.nanoTime();
			late = this.closed;
			ended = this.endedAgain;
			if (!ended) {
				this.restarting = false;
				this.failure = null;
			}
		}
		if (late) {
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
		JRaftNode last;
		synchronized (this) {
			this.closed = true;
			last = this.current;
		}
		if (last != null) {
			last.close();
		}
	}

	/** Starts a node. */
	@FunctionalInterface
	interface Starter {

		JRaftNode start() throws IOException;

	}

}
