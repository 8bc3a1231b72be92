package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.util.function.IntFunction;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;

/**
 * A cluster node's socket for clients, and the event loops for these clients and for
 * clients that other nodes forward. Outlives the node's MQTT brokers. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class NodeEndpoint implements StreamTarget, AutoCloseable {

	/**
	 * Estimated memory of a forwarded connection, in bytes. Includes the TLS connection
	 * to the leader and buffers.
	 */
	private static final int FORWARD_COST = 64 * 1024;

	private final MemoryBudget budget;

	private final ConnectionCounts counts;

	private final TcpListener listener;

	private final ConnectionRouter router;

	/** This node's address, for clients that other nodes forward. */
	private final String advertised;

	/** Client connections that this node forwards. */
	private final ChannelGroup forwarding = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

	/**
	 * Starts listening.
	 * @param settings host, port, and connection limits
	 * @param budget limits the memory of clients
	 * @param advertised returns the address at which clients can connect to this node,
	 * for the port on which it listens
	 * @param router decides what happens to each connection
	 * @throws IllegalStateException if the address is not available. The message contains
	 * host, port, and reason
	 */
	public NodeEndpoint(MqttBrokerSettings settings, MemoryBudget budget, IntFunction<String> advertised,
			ConnectionRouter router) {
		this.budget = budget;
		this.router = router;
		this.counts = new ConnectionCounts(settings.network());
		this.listener = TcpListener.open(settings.host(), settings.port(), (channel) -> router.route(channel, false));
		this.advertised = advertised.apply(this.listener.port());
	}

	/**
	 * Forwards a connection to the leader, within the connection limits. Must be called
	 * on the connection's event loop.
	 * @param client the client's connection
	 * @param node this node, which forwards the connection
	 */
	public void forward(Channel client, ClusterNode node) {
		OpenConnection connection = this.counts.add(client);
		InetSocketAddress address = ClientAddress.of(client);
		if (connection == null || address == null) {
			client.close();
			return;
		}
		ClientShare memory = this.budget.open();
		client.closeFuture().addListener((closed) -> memory.close());
		if (!memory.tryReserve(MemoryUse.CONNECTING, FORWARD_COST)) {
			client.close();
			return;
		}
		this.forwarding.add(client);
		// The connection is waiting for this node, not for its client, so a newer
		// connection must not replace it.
		connection.setBusy(true);
		client.config().setAutoRead(false);
		node.forward(client, address, () -> established(client, connection, memory));
	}

	/** Called once the leader has sent data. */
	private void established(Channel client, OpenConnection connection, ClientShare memory) {
		this.counts.finished(connection);
		memory.release(MemoryUse.CONNECTING, FORWARD_COST);
		if (!memory.tryReserve(MemoryUse.CONNECTION, FORWARD_COST)) {
			client.close();
		}
	}

	/**
	 * Stops listening for clients. Clients forwarded by other nodes are still accepted
	 * until this endpoint is closed.
	 */
	public void pause() {
		this.listener.stop().awaitUninterruptibly();
	}

	/** Closes all forwarded connections. */
	public void closeForwarded() {
		this.forwarding.close();
	}

	/**
	 * Returns the number of connections that this node forwards.
	 * @return the number of open connections
	 */
	public int forwarded() {
		return this.forwarding.size();
	}

	@Override
	public EventLoopGroup eventLoops() {
		return this.listener.eventLoops();
	}

	@Override
	public void accept(Channel connection, InetSocketAddress client) {
		connection.config().setOption(ChannelOption.SO_KEEPALIVE, true);
		connection.config().setWriteBufferWaterMark(TcpListener.WRITE_BUFFER);
		ClientAddress.setForwarded(connection, client);
		ClientAddress.setLeader(connection, this.advertised);
		this.router.route(connection, true);
	}

	/**
	 * Returns the port on which this node listens for clients.
	 * @return the TCP port
	 */
	public int port() {
		return this.listener.port();
	}

	TcpListener listener() {
		return this.listener;
	}

	/**
	 * Stops listening without waiting.
	 * @param stopped runs once clients can no longer connect
	 */
	public void abort(Runnable stopped) {
		this.listener.stop().addListener((closed) -> stopped.run());
	}

	/** Closes the socket and forwarded connections, and shuts down the event loops. */
	@Override
	public void close() {
		pause();
		this.forwarding.close().awaitUninterruptibly();
		this.listener.close();
	}

}
