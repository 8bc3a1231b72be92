package io.statestore.broker.cluster;

import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.statestore.broker.server.ClusterOperations;

/**
 * A running cluster node. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface ClusterNode extends ClusterOperations, AutoCloseable {

	/**
	 * Returns the cluster's leader as known to this node. Never blocks.
	 * @return a snapshot
	 */
	Leadership leadership();

	/**
	 * Asks another node to lead. Returns immediately; the change follows within the
	 * election timeout, or not at all.
	 * @param node name of the node that is to lead
	 * @throws IllegalArgumentException if no peer has this name
	 * @throws IllegalStateException if this node is not the leader, or the other node is
	 * not a member
	 */
	void transferLeadership(String node);

	/**
	 * Connects a client to the leader. Bytes pass in both directions until one side
	 * closes its connection or the leader changes. Closes the client's connection if
	 * there is no leader. Does not block. Must be called on the connection's event loop,
	 * which is also used for the connection to the leader.
	 * @param client the client's connection, with an empty pipeline and without automatic
	 * reading
	 * @param address the client's address
	 * @param established called on the event loop once the leader has accepted the
	 * connection
	 */
	void forward(Channel client, InetSocketAddress address, Runnable established);

	/**
	 * Transfers leadership if possible, and stops the node. May block for several
	 * seconds.
	 */
	@Override
	void close();

}
