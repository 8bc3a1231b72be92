package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import org.jspecify.annotations.Nullable;

/** A cluster whose nodes run a store. */
final class StoreCluster implements AutoCloseable {

	final TestCluster nodes;

	/** Failures of nodes and replicas. */
	final List<Throwable> failures = new CopyOnWriteArrayList<>();

	private final Map<Member, Replica> replicas = new ConcurrentHashMap<>();

	private final Map<Member, StoreMachine> machines = new ConcurrentHashMap<>();

	/** Servers of nodes that lead, or believe that they do. */
	private final Map<Member, StateStoreServer> servers = new ConcurrentHashMap<>();

	StoreCluster(Path directory) throws IOException {
		this.nodes = new TestCluster(directory, 3);
		this.nodes.setFactory(this::newMachine);
	}

	private ReplicatedMachine newMachine(Member member) {
		Replica replica = new Replica(StateStoreServerOptions.defaults().withReplyMemory(1 << 20), Long.MAX_VALUE,
				this.failures::add);
		StoreMachine machine = new StoreMachine(replica, 32 << 10, new Listener(member, replica));
		this.replicas.put(member, replica);
		this.machines.put(member, machine);
		return machine;
	}

	void startAll() throws Exception {
		for (Member member : this.nodes.members()) {
			start(member);
		}
		this.nodes.elect();
	}

	void start(Member member) throws Exception {
		RaftNode node = this.nodes.start(member, this.nodes.members());
		Objects.requireNonNull(this.machines.get(member)).started(node);
	}

	/**
	 * Prepares the cluster for the next test, so that one node serves clients and any
	 * other node could replace it.
	 */
	void restore() throws Exception {
		this.nodes.heal();
		for (Member member : this.nodes.members()) {
			if (!this.nodes.isRunning(member)) {
				start(member);
			}
		}
		leader();
		this.nodes.awaitNoLag();
	}

	void kill(Member member) {
		this.nodes.kill(member);
		this.servers.remove(member);
		replica(member).close();
	}

	/** Waits until a node leads and serves clients. */
	Member leader() {
		TestCluster.await().until(() -> this.servers.containsKey(this.nodes.leader()));
		return this.nodes.leader();
	}

	/** Returns a client of a node that leads, or believes that it does. */
	StoreClient connect(Member leader, String clientId) {
		return new StoreClient(Objects.requireNonNull(this.servers.get(leader)), clientId);
	}

	StoreClient connect(String clientId) {
		return connect(leader(), clientId);
	}

	boolean serves(Member member) {
		return this.servers.containsKey(member);
	}

	Replica replica(Member member) {
		return Objects.requireNonNull(this.replicas.get(member));
	}

	@Override
	public void close() {
		this.nodes.close();
		this.replicas.values().forEach(Replica::close);
	}

	/** Serves clients while a node leads. */
	private final class Listener implements NodeEvents {

		private final Member member;

		private final Replica replica;

		Listener(Member member, Replica replica) {
			this.member = member;
			this.replica = replica;
		}

		@Override
		public void leading(ReplicatedLog log) {
			CompletableFuture<Void> ready = new CompletableFuture<>();
			StateStoreServer server = this.replica.lead(log, () -> ready.complete(null));
			ready.thenRun(() -> StoreCluster.this.servers.put(this.member, server));
		}

		@Override
		public void following() {
			StoreCluster.this.servers.remove(this.member);
		}

		@Override
		public void failed(Throwable failure) {
			StoreCluster.this.failures.add(failure);
		}

		@Override
		public @Nullable StreamTarget streamTarget() {
			return null;
		}

	}

}
