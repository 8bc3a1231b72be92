package io.statestore.broker.cluster;

import java.net.InetSocketAddress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Socket of a leader for the clients of other nodes, on the loopback interface.
 * <p>
 * Internal: not part of the API.
 */
public interface StreamTarget {

	/**
	 * Returns the address to connect to.
	 * @return an address of this machine
	 */
	InetSocketAddress address();

	/**
	 * Returns the bytes that precede those of the client.
	 * @param allocator allocates the buffer
	 * @param client address of the client, as the other node sees it
	 * @return a buffer that the caller releases
	 */
	ByteBuf header(ByteBufAllocator allocator, InetSocketAddress client);

}
