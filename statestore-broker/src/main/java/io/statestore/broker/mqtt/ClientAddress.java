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
 * Address of the client at the other end of a connection. If another node of a cluster
 * has forwarded the connection, its remote address is that of the other node.
 */
final class ClientAddress {

	private static final AttributeKey<InetSocketAddress> FORWARDED = AttributeKey
		.valueOf("statestore.forwarded-address");

	/**
	 * Smallest Maximum Packet Size of a client that receives the address of the leader.
	 * Exceeds every CONNACK, even with an authentication method of 64 KiB.
	 */
	static final int MIN_PACKET_SIZE_FOR_LEADER = 128 * 1024;

	private static final AttributeKey<String> LEADER = AttributeKey.valueOf("statestore.leader");

	private ClientAddress() {
	}

	/**
	 * Sets the address of a client whose connection was forwarded.
	 * @param channel the connection
	 * @param address the address that the other node sees
	 */
	static void setForwarded(Channel channel, InetSocketAddress address) {
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

	/**
	 * Sets the address of this node, for a connection that another node has forwarded.
	 * @param address {@code host:port}
	 */
	static void setLeader(Channel channel, String address) {
		channel.attr(LEADER).set(address);
	}

	/**
	 * Returns the address of this node for the CONNACK to a client that another node has
	 * forwarded. The client can then connect without the other node.
	 * @param connect CONNECT of an MQTT 5 client
	 * @return {@code host:port}, {@code null} if the client is connected to this node, or
	 * limits the size of packets
	 */
	static @Nullable String leader(Channel channel, MqttConnectMessage connect) {
		long maxPacketSize = Packets.interval(connect.variableHeader().properties(), MqttProperties.MAXIMUM_PACKET_SIZE,
				Long.MAX_VALUE);
		return (maxPacketSize >= MIN_PACKET_SIZE_FOR_LEADER) ? channel.attr(LEADER).get() : null;
	}

}
