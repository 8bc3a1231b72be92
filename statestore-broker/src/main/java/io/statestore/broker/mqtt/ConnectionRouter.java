package io.statestore.broker.mqtt;

import io.netty.channel.Channel;

/**
 * Decides what happens to a cluster node's new connections.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface ConnectionRouter {

	/**
	 * Assumes responsibility for a connection or closes it. Called on the connection's
	 * event loop, which this method must not block.
	 * @param connection an open connection without client handlers
	 * @param forwarded whether another node forwards the connection
	 */
	void route(Channel connection, boolean forwarded);

}
