package io.statestore.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.channel.Channel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterProvider;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.ConnectionRouter;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.mqtt.NodeEndpoint;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.protocol.AdministrationAccess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state store on several machines, with this machine's MQTT broker. While this node
 * leads, its MQTT broker serves all clients. Otherwise, connections are forwarded to the
 * leader. MQTT sessions are part of the replicated state.
 */
final class ClusterBroker implements RunningBroker, NodeEvents, ConnectionRouter {

	private static final Logger logger = LoggerFactory.getLogger(ClusterBroker.class);

	private final MqttBrokerSettings settings;

	private final AdministrationAccess administration;

	private final MemoryBudget budget;

	private final BrokerStatistics statistics;

	/** Starts and stops MQTT brokers, which would block other threads for too long. */
	private final ExecutorService control = Executors
		.newSingleThreadExecutor(new DefaultThreadFactory("statestore-leadership", true));

	private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

	private final AtomicBoolean failing = new AtomicBoolean();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final Replica replica;

	private final NodeEndpoint endpoint;

	/**
	 * MQTT broker for the current leadership term. Changed only on the control thread.
	 */
	private volatile @Nullable MqttBroker mqtt;

	private volatile @Nullable ClusterNode node;

	/** This node's server while the node leads. */
	private volatile @Nullable StateStoreServer leader;

	/** MQTT broker that accepts clients, {@code null} if none does. */
	private volatile @Nullable MqttBroker serving;

	private ClusterBroker(ClusterOptions cluster, MqttBrokerSettings settings, AdministrationAccess administration,
			StateStoreServerOptions options, long replicaMemory, MemoryBudget budget) {
		this.settings = settings;
		this.administration = administration;
		this.budget = budget;
		this.statistics = new BrokerStatistics(budget, settings.principals());
		this.replica = new Replica(options, replicaMemory, this::failed);
		try {
			this.endpoint = new NodeEndpoint(settings, budget, cluster::addressForClients, this);
		}
		catch (RuntimeException ex) {
			this.replica.close();
			throw ex;
		}
	}

	/**
	 * Starts a node. Clients can connect when it {@linkplain #isReady() is ready}.
	 * @param settings the MQTT broker's settings
	 * @param options the store's options, without a directory
	 * @param replicaMemory memory for the copy of the store, in bytes
	 */
	static ClusterBroker start(ClusterOptions cluster, MqttBrokerSettings settings, AdministrationAccess administration,
			StateStoreServerOptions options, long replicaMemory, MemoryBudget budget) {
		ClusterProvider provider = ClusterProvider.find();
		ClusterBroker broker = new ClusterBroker(cluster, settings, administration, options, replicaMemory, budget);
		try {
			ClusterNode node = provider.start(cluster, broker.replica, broker);
			broker.node = node;
			return broker;
		}
		catch (RuntimeException ex) {
			broker.close();
			throw ex;
		}
	}

	@Override
	public void leading(ReplicatedLog log) {
		if (this.closed.get()) {
			// The consensus makes this node the leader again if no other node has taken
			// over.
			return;
		}
		CompletableFuture<StateStoreServer> started = new CompletableFuture<>();
		StateStoreServer server = this.replica.lead(log, () -> execute(() -> serve(started.join())));
		server.failure().thenAccept(this::failed);
		synchronized (this) {
			this.leader = server;
		}
		started.complete(server);
	}

	private void serve(StateStoreServer server) {
		if (this.leader != server) {
			return;
		}
		try {
			ServerAdapter adapter = new ServerAdapter(server, this.administration,
					this.settings.security().authorizer() != null, this::failed, () -> this.node, () -> this.serving);
			MqttBrokerSettings settings = this.settings.withPrincipals(this.settings.principals().newTerm());
			this.mqtt = MqttBroker.behind(this.endpoint, settings, adapter, this.budget, server.sessionLog());
		}
		catch (RuntimeException ex) {
			failed(ex);
			return;
		}
		// The term may have ended in the meantime, in which case the broker must not
		// accept clients.
		synchronized (this) {
			if (this.leader != server) {
				return;
			}
			this.serving = this.mqtt;
		}
		logger.info("This node leads, and serves clients");
	}

	@Override
	public void following() {
		synchronized (this) {
			this.leader = null;
			this.serving = null;
		}
		this.replica.follow();
		execute(() -> {
			if (this.mqtt != null) {
				logger.info("This node no longer leads; its clients are disconnected, and have to connect again");
				endMqtt();
			}
		});
	}

	/**
	 * Closes the MQTT broker, if any, and its connections. Runs on the control thread.
	 */
	private void endMqtt() {
		MqttBroker ended = this.mqtt;
		if (ended != null) {
			this.serving = null;
			ended.moveClients("this node no longer leads; connect again");
			this.mqtt = null;
		}
	}

	private void execute(Runnable task) {
		try {
			this.control.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The node is stopping", ex);
		}
	}

	@Override
	public void failed(Throwable failure) {
		if (!this.failing.compareAndSet(false, true)) {
			return;
		}
		logger.error("This cluster node has failed and serves no requests. If its disk is full or broken, fix that "
				+ "first; then restart the node", failure);
		new DefaultThreadFactory("statestore-failure", true).newThread(() -> this.failure.complete(failure)).start();
	}

	@Override
	public @Nullable StreamTarget streamTarget() {
		return (this.serving != null) ? this.endpoint : null;
	}

	@Override
	public void route(Channel connection, boolean forwarded) {
		MqttBroker broker = this.serving;
		ClusterNode node = this.node;
		if (broker != null) {
			broker.accept(connection);
		}
		else if (!forwarded && node != null && node.leadership().follows()) {
			this.endpoint.forward(connection, node);
		}
		else {
			connection.close();
		}
	}

	@Override
	public int port() {
		return this.endpoint.port();
	}

	@Override
	public StateStoreStatistics statistics() {
		StateStoreServer server = this.leader;
		return this.statistics.of((server != null) ? server.statistics() : this.replica.statistics(), server,
				this.mqtt);
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		return Optional.empty();
	}

	@Override
	public boolean isReady() {
		ClusterNode node = this.node;
		return !this.closed.get() && !this.failure.isDone()
				&& (this.serving != null || (node != null && node.leadership().follows()));
	}

	@Override
	public Optional<ClusterNode> node() {
		return Optional.ofNullable(this.node);
	}

	@Override
	public CompletableFuture<Throwable> failure() {
		return this.failure.copy();
	}

	@Override
	public void abort(Runnable stopped) {
		this.serving = null;
		this.endpoint.closeForwarded();
		this.endpoint.abort(stopped);
		MqttBroker mqtt = this.mqtt;
		if (mqtt != null) {
			mqtt.abort(() -> {
			});
		}
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		// The node is closed first so that reconnecting clients find the next leader.
		this.endpoint.pause();
		ClusterNode node = this.node;
		try {
			if (node != null) {
				node.close();
			}
		}
		finally {
			end();
		}
	}

	/** Stops everything except the node. */
	private void end() {
		this.serving = null;
		CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
			MqttBroker mqtt = this.mqtt;
			if (mqtt != null) {
				mqtt.close();
			}
		}, this.control);
		try {
			ended.join();
		}
		finally {
			this.endpoint.close();
			this.replica.close();
			this.control.shutdown();
		}
	}

}
