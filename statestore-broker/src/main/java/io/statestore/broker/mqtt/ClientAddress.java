package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.AttributeKey;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * The address of the client at the other end of a connection. If another cluster node
 * forwards the connection, the connection's remote address is that node's address.
 */
final class ClientAddress {

	private static final AttributeKey<InetSocketAddress> FORWARDED = AttributeKey
		.valueOf("statestore.forwarded-address");

	/**
	 * Smallest Maximum Packet Size with which a client receives the leader's address. It
	 * exceeds every CONNACK, even with a 64 KiB authentication method.
	 */
	static final int MIN_PACKET_SIZE_FOR_LEADER = 128 * 1024;

	private static final AttributeKey<String> LEADER = AttributeKey.valueOf("statestore.leader");

	private ClientAddress() {
	}

	/**
	 * Sets the address of a client whose connection was forwarded.
	 * @param channel the connection
	 * @param address the client's address as seen by the other node
	 */
	static void setForwarded(Channel channel, InetSocketAddress address) {
		channel.attr(FORWARDED).set(address);
	}

	/**
	 * Returns a client's address and port.
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
	 * Returns a client's address, without the port.
	 * @param channel the connection
	 * @return the address, {@code null} if the connection was closed before it was known
	 */
	static @Nullable InetAddress host(Channel channel) {
		InetSocketAddress address = of(channel);
		return (address != null) ? address.getAddress() : null;
	}

	/**
	 * Sets this node's address, for a connection that another node forwards.
	 * @param address {@code host:port}
	 */
	static void setLeader(Channel channel, String address) {
		channel.attr(LEADER).set(address);
	}

	/**
	 * Returns this node's address for the CONNACK to a client that another node forwards.
	 * The client can then connect directly.
	 * @param connect an MQTT 5 client's CONNECT
	 * @return {@code host:port}, {@code null} if the client is connected directly or
	 * limits the packet size too much
	 */
	static @Nullable String leader(Channel channel, MqttConnectMessage connect) {
		long maxPacketSize = Packets.interval(connect.variableHeader().properties(), MqttProperties.MAXIMUM_PACKET_SIZE,
				Long.MAX_VALUE);
		return (maxPacketSize >= MIN_PACKET_SIZE_FOR_LEADER) ? channel.attr(LEADER).get() : null;
	}

}
