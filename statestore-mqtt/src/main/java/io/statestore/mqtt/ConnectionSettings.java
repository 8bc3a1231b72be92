package io.statestore.mqtt;

import java.time.Duration;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Settings for one connection.
 *
 * @param host the broker's name or address
 * @param port the broker's port
 * @param tls TLS settings, or {@code null} for plain TCP
 * @param connectTimeout maximum time for each step of connecting: opening a socket and
 * receiving CONNACK
 * @param maxPacketSize maximum remaining length of a received packet, in bytes
 * @param maxPropertiesSize maximum size of a received packet's properties, in bytes
 * @param buffered receives the number of bytes buffered so far for a large packet that is
 * arriving, and 0 afterward
 */
public record ConnectionSettings(String host, int port, @Nullable Tls tls, Duration connectTimeout, int maxPacketSize,
		int maxPropertiesSize, IntConsumer buffered) {

	/** Maximum remaining length of a packet, in bytes (MQTT 5 section 2.1.4). */
	public static final int MAX_PACKET_SIZE = VariableByteInteger.MAX_VALUE;

}
