package io.statestore.broker.cluster;

import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;

/**
 * The leader's server for clients that other nodes forward.
 * <p>
 * Internal: not part of the API.
 */
public interface StreamTarget {

	/**
	 * Returns the event loops that serve clients.
	 * @return the event loops, for NIO channels
	 */
	EventLoopGroup eventLoops();

	/**
	 * Serves a client, or closes its connection. Called on the event loop of the
	 * connection, one of {@link #eventLoops()}.
	 * @param connection the connection of the other node. Its pipeline begins with the
	 * TLS handler of the nodes, whose certificate is not that of the client
	 * @param client address of the client, as the other node sees it
	 */
	void accept(Channel connection, InetSocketAddress client);

}
