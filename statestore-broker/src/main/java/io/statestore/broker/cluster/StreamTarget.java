package io.statestore.broker.cluster;

import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;

/**
 * The leader's endpoint for clients that other nodes forward.
 * <p>
 * Internal: not part of the API.
 */
public interface StreamTarget {

	/**
	 * Returns the event loops that serve clients.
	 * @return the event loops, which support NIO channels
	 */
	EventLoopGroup eventLoops();

	/**
	 * Serves a client or closes its connection. Called on the connection's event loop,
	 * which is one of {@link #eventLoops()}.
	 * @param connection the connection from the other node. Its pipeline begins with the
	 * TLS handler for connections between nodes, whose certificate is not the client's
	 * @param client the client's address as seen by the other node
	 */
	void accept(Channel connection, InetSocketAddress client);

}
