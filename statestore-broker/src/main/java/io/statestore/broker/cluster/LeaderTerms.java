package io.statestore.broker.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.broker.server.StateStoreServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Terms in which a node leads: the server of the current one, and the thread that starts
 * and stops what connects clients to it, which takes too long for other threads. Also
 * reports the failure of the node. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class LeaderTerms {

	private static final Logger logger = LoggerFactory.getLogger(LeaderTerms.class);

	private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
			new DefaultThreadFactory("statestore-leadership", true));

	private final AtomicBoolean failed = new AtomicBoolean();

	private final Consumer<Throwable> onFailure;

	private volatile @Nullable StateStoreServer server;

	/**
	 * Creates an object without a term.
	 * @param onFailure called with the first failure, on a thread that may close the node
	 */
	public LeaderTerms(Consumer<Throwable> onFailure) {
		this.onFailure = onFailure;
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Begins a term.
	 * @param replica the replica that leads
	 * @param log appends to the log while this node leads
	 * @param ready called with the server of the term when it serves requests, by
	 * {@link #execute}
	 */
	public void begin(Replica replica, ReplicatedLog log, Consumer<StateStoreServer> ready) {
		CompletableFuture<StateStoreServer> begun = new CompletableFuture<>();
		StateStoreServer server = replica.lead(log, () -> execute(() -> ready.accept(begun.join())));
		server.failure().thenAccept(this::fail);
		this.server = server;
		begun.complete(server);
	}

	/** Ends the term, if any. The caller ends the server. */
	public void end() {
		this.server = null;
	}

	/**
	 * Returns the server of the current term.
	 * @return the server, {@code null} while this node does not lead
	 */
	public @Nullable StateStoreServer server() {
		return this.server;
	}

	/**
	 * Runs a task after the earlier ones, unless the node is stopping.
	 * @param task the task
	 */
	public void execute(Runnable task) {
		schedule(task, Duration.ZERO);
	}

	/**
	 * Runs a task after a delay, unless the node is stopping.
	 * @param task the task
	 * @param delay the delay
	 */
	public void schedule(Runnable task, Duration delay) {
		try {
			this.thread.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The node is stopping", ex);
		}
	}

	/**
	 * Reports the failure of the node. Has no effect the second time.
	 * @param failure the reason
	 */
	public void fail(Throwable failure) {
		if (this.failed.compareAndSet(false, true)) {
			logger
				.error("This node of the cluster has failed. Restart it. If its disk is full or has failed, repair it "
						+ "first", failure);
			Thread reporter = new Thread(() -> this.onFailure.accept(failure), "statestore-failure");
			reporter.setDaemon(true);
			reporter.start();
		}
	}

	/** Ends the thread after its current task. */
	public void shutDown() {
		this.thread.shutdown();
	}

}
