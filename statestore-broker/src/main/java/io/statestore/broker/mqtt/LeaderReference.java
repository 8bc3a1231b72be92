package io.statestore.broker.mqtt;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.AttributeKey;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Address of this node, for the CONNACK to a client that another node has forwarded. The
 * client can then connect without the other node.
 */
final class LeaderReference {

	/**
	 * Maximum Packet Size of a client from which on it receives the address. More than
	 * any CONNACK needs, of which the authentication method can have 64 KiB.
	 */
	static final int MIN_PACKET_SIZE = 128 * 1024;

	private static final AttributeKey<String> ADDRESS = AttributeKey.valueOf("statestore.leader");

	private LeaderReference() {
	}

	/**
	 * Sets the address for a connection that another node has forwarded.
	 * @param address {@code host:port}
	 */
	static void set(Channel channel, String address) {
		channel.attr(ADDRESS).set(address);
	}

	/**
	 * Returns the address to name to a client.
	 * @param connect CONNECT of the client
	 * @return {@code host:port}, {@code null} if the client is connected to this node,
	 * cannot receive user properties, or limits the size of packets
	 */
	static @Nullable String of(Channel channel, MqttConnectMessage connect) {
		if (connect.variableHeader().version() != Packets.MQTT_5) {
			return null;
		}
		Integer maxPacketSize = Packets.property(connect.variableHeader().properties(),
				MqttProperties.MAXIMUM_PACKET_SIZE, Integer.class);
		boolean fits = maxPacketSize == null || Integer.toUnsignedLong(maxPacketSize) >= MIN_PACKET_SIZE;
		return fits ? channel.attr(ADDRESS).get() : null;
	}

}
