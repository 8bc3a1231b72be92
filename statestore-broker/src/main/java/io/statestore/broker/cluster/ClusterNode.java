package io.statestore.broker.cluster;

import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.statestore.broker.server.ClusterOperations;

/**
 * A running node of a cluster. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterNode extends ClusterOperations, AutoCloseable {

	/**
	 * Returns the leader that this node knows. Never blocks.
	 * @return a snapshot
	 */
	Leadership leadership();

	/**
	 * Asks another node to lead. Returns at once; the change follows within the election
	 * timeout, or not at all.
	 * @param node name of the node
	 * @throws IllegalArgumentException if no peer has the name
	 * @throws IllegalStateException if this node is not the leader, or the other one is
	 * no member
	 */
	void transferLeadership(String node);

	/**
	 * Connects a client with the leader. Bytes pass in both directions, until one side
	 * closes its connection, or the leader changes. Closes the connection of the client
	 * if there is no leader. Does not block.
	 * @param client the connection of the client, with an empty pipeline and without
	 * automatic reading. Called on its event loop, which also serves the connection to
	 * the leader
	 * @param address address of the client
	 * @param established called on the event loop when the leader has accepted the
	 * connection
	 */
	void forward(Channel client, InetSocketAddress address, Runnable established);

	/** Leaves leadership if possible, and stops the node. Blocks for some seconds. */
	@Override
	void close();

}
