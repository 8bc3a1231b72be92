package io.statestore.broker.mqtt;

import io.netty.channel.Channel;

/**
 * Decides what happens to new connections of a cluster node.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface ConnectionRouter {

	/**
	 * Takes over a connection, or closes it. Called on its event loop, which it must not
	 * block.
	 * @param connection an open connection without handlers of a client
	 * @param forwarded whether another node has forwarded the connection
	 */
	void route(Channel connection, boolean forwarded);

}
