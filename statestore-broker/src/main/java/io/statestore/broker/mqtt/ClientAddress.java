package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * Address of the client at the other end of a connection. If another node of a cluster
 * has forwarded the connection, its remote address is that of the other node.
 */
final class ClientAddress {

	private static final AttributeKey<InetSocketAddress> FORWARDED = AttributeKey
		.valueOf("statestore.forwarded-address");

	private ClientAddress() {
	}

	/**
	 * Sets the address of a client whose connection was forwarded.
	 * @param channel the connection
	 * @param address the address that the other node sees
	 */
	static void set(Channel channel, InetSocketAddress address) {
		channel.attr(FORWARDED).set(address);
	}

	/**
	 * Returns the address and the port of a client.
	 * @param channel the connection
	 * @return the address, {@code null} if the connection was closed before it was known
	 */
	static @Nullable InetSocketAddress of(Channel channel) {
		InetSocketAddress forwarded = channel.attr(FORWARDED).get();
		if (forwarded != null) {
			return forwarded;
		}
		return (channel.remoteAddress() instanceof InetSocketAddress remote) ? remote : null;
	}

	/**
	 * Returns the address of a client.
	 * @param channel the connection
	 * @return the address, {@code null} if the connection was closed before it was known
	 */
	static @Nullable InetAddress host(Channel channel) {
		InetSocketAddress address = of(channel);
		return (address != null) ? address.getAddress() : null;
	}

}
