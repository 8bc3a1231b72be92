package io.statestore.broker.gateway;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterProvider;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.protocol.ClusterNodeState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway that is a cluster node. Only the leader's gateway is connected to the MQTT
 * broker. When the leader changes, the new leader's gateway takes over the session with
 * the requests queued in it. Thread-safe.
 */
public final class GatewayNode implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(GatewayNode.class);

	/**
	 * Delay before retrying a failed gateway start, for example while an earlier gateway
	 * is shutting down.
	 */
	private static final long RETRY_MILLIS = 200;

	private final BiFunction<StateStoreServer, ClusterNode, Gateway> starter;

	/** Client memory, reported while no gateway is running. */
	private final MemoryBudget budget;

	private final Replica replica;

	/** Starts and stops gateways, because both wait for the MQTT broker. */
	private final ScheduledExecutorService control;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile @Nullable ClusterNode node;

	/** Server for the current leadership term. */
	private volatile @Nullable StateStoreServer leader;

	private volatile @Nullable Gateway gateway;

	/** Whether a failed start was reported. Used only on the control thread. */
	private boolean reported;

	private GatewayNode(StateStoreServerOptions options, MemoryBudget budget,
			BiFunction<StateStoreServer, ClusterNode, Gateway> starter) {
		this.starter = starter;
		this.budget = budget;
		this.replica = new Replica(options, Long.MAX_VALUE, this::failed);
		ScheduledThreadPoolExecutor control = new ScheduledThreadPoolExecutor(1,
				new DefaultThreadFactory("statestore-leadership", true));
		control.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.control = control;
	}

	/**
	 * Starts a node.
	 * @param budget the client memory, reported while no gateway is running
	 * @param starter starts the gateway for a leadership term: connects and waits until
	 * requests are served. Throws an {@link IllegalStateException} if the MQTT broker is
	 * unavailable or another store serves its clients
	 */
	static GatewayNode start(ClusterOptions cluster, StateStoreServerOptions options, MemoryBudget budget,
			BiFunction<StateStoreServer, ClusterNode, Gateway> starter) {
		ClusterProvider provider = ClusterProvider.find();
		GatewayNode gateway = new GatewayNode(options, budget, starter);
		try {
			gateway.node = provider.start(cluster, gateway.replica, gateway.new Events());
			return gateway;
		}
		catch (RuntimeException ex) {
			gateway.close();
			throw ex;
		}
	}

	private void begin(StateStoreServer server) {
		ClusterNode node = this.node;
		if (node == null) {
			// The node is still starting.
			schedule(() -> begin(server));
			return;
		}
		serve(server, node);
	}

	private void serve(StateStoreServer server, ClusterNode node) {
		if (this.leader != server || this.closed.get()) {
			return;
		}
		try {
			Gateway started = this.starter.apply(server, node);
			this.reported = false;
			this.gateway = started;
			started.stopped().thenRun(() -> schedule(() -> replace(started, server, node)));
			if (this.leader != server) {
				stop(started);
			}
		}
		catch (IllegalStateException | CompletionException ex) {
			if (!this.reported) {
				logger.warn("This node is the leader but cannot serve requests yet: {}. Trying again", ex.getMessage());
				this.reported = true;
			}
			schedule(() -> serve(server, node));
		}
	}

	/**
	 * Starts a new gateway after the previous gateway was superseded while this node
	 * still leads.
	 */
	private void replace(Gateway ended, StateStoreServer server, ClusterNode node) {
		if (this.gateway == ended) {
			this.gateway = null;
			ended.close();
			serve(server, node);
		}
	}

	private void stop(Gateway ended) {
		if (this.gateway == ended) {
			this.gateway = null;
		}
		ended.close();
	}

	private void schedule(Runnable task) {
		execute(task, RETRY_MILLIS);
	}

	private void execute(Runnable task, long delayMillis) {
		try {
			this.control.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The node is stopping", ex);
		}
	}

	private void failed(Throwable failure) {
		if (!this.stopped.isDone()) {
			logger.error("This cluster node has failed and serves no requests. If its disk is full or broken, fix that "
					+ "first; then restart the node", failure);
			new DefaultThreadFactory("statestore-failure", true)
				.newThread(() -> this.stopped.completeExceptionally(failure))
				.start();
		}
	}

	/**
	 * Returns the cluster's leader as known to this node. Never blocks.
	 * @return a snapshot
	 */
	public Leadership leadership() {
		ClusterNode node = this.node;
		return (node != null) ? node.leadership() : new Leadership("", false, null);
	}

	/**
	 * Returns the state of this node. Never waits for other nodes or for a disk.
	 * @return a snapshot, empty after a failed start
	 */
	public Optional<ClusterNodeState> clusterState() {
		return Optional.ofNullable(this.node).map(ClusterNode::state);
	}

	/**
	 * Asks another node to lead. Returns immediately; the change follows within the
	 * election timeout, or not at all.
	 * @param node name of the node that is to lead
	 * @throws IllegalArgumentException if no peer has this name
	 * @throws IllegalStateException if this node is not the leader, or the other node is
	 * not a member
	 */
	public void transferLeadership(String node) {
		ClusterNode own = this.node;
		if (own == null) {
			throw new IllegalStateException("This node has not started");
		}
		own.transferLeadership(node);
	}

	/**
	 * Returns whether this node currently serves clients of the MQTT broker.
	 * @return whether it leads and its gateway is connected and subscribed
	 */
	public boolean isServing() {
		Gateway gateway = this.gateway;
		return gateway != null && gateway.isServing();
	}

	/**
	 * Returns whether this node takes part in the cluster.
	 * @return whether it serves clients, or knows another node that leads
	 */
	public boolean isReady() {
		return !this.closed.get() && !this.stopped.isDone() && (isServing() || leadership().follows());
	}

	/**
	 * Returns this node's current content, its limits, and the number of times that each
	 * limit was reached. Never blocks.
	 * @return a snapshot
	 */
	public StateStoreStatistics statistics() {
		Gateway gateway = this.gateway;
		return (gateway != null) ? gateway.statistics() : new StateStoreStatistics(this.replica.statistics(),
				this.budget.statistics(), PrincipalStatistics.NONE, ConnectionStatistics.NONE, SecurityStatistics.NONE);
	}

	/**
	 * Returns a future that completes when this node has stopped: normally after
	 * {@link #close()}, exceptionally after an error. Close the node in that case.
	 * @return a copy of the future
	 */
	public CompletableFuture<Void> stopped() {
		return this.stopped.copy();
	}

	/**
	 * Transfers leadership if this node leads, disconnects from the MQTT broker, and
	 * stops. Takes a few seconds at most. Later calls have no effect.
	 */
	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		ClusterNode node = this.node;
		if (node != null) {
			node.close();
		}
		Gateway gateway = this.gateway;
		if (gateway != null) {
			gateway.close();
		}
		this.replica.close();
		this.control.shutdown();
		this.stopped.complete(null);
	}

	/** The gateway for one leadership term. Thread-safe. */
	interface Gateway {

		/**
		 * Returns a future that completes when another store serves the MQTT broker's
		 * clients, or after {@link #close()}.
		 */
		CompletableFuture<Void> stopped();

		/** Returns whether requests are currently served. */
		boolean isServing();

		/** Returns a snapshot of content and limits. */
		StateStoreStatistics statistics();

		/** Disconnects, without waiting. The session keeps requests for a minute. */
		void disconnect();

		/** Disconnects and stops. */
		void close();

	}

	/** Receives leadership changes. */
	private final class Events implements NodeEvents {

		@Override
		public void leading(ReplicatedLog log) {
			GatewayNode node = GatewayNode.this;
			CompletableFuture<StateStoreServer> begun = new CompletableFuture<>();
			StateStoreServer server = node.replica.lead(log, () -> node.execute(() -> node.begin(begun.join()), 0));
			Consumer<Error> failed = node::failed;
			server.failure().thenAccept(failed);
			node.leader = server;
			begun.complete(server);
		}

		@Override
		public void following() {
			GatewayNode node = GatewayNode.this;
			node.leader = null;
			Gateway gateway = node.gateway;
			if (gateway != null) {
				// Later requests stay in the session, for the next leader.
				gateway.disconnect();
			}
			node.replica.follow();
			if (gateway != null) {
				node.execute(() -> node.stop(gateway), 0);
			}
		}

		@Override
		public void failed(Throwable failure) {
			GatewayNode.this.failed(failure);
		}

		@Override
		public @Nullable StreamTarget streamTarget() {
			return null;
		}

	}

}
