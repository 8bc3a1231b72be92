package io.statestore.mqtt;

import java.time.Duration;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one connection.
 *
 * @param host name or address of the broker
 * @param port port of the broker
 * @param tls TLS settings, or {@code null} for plain TCP
 * @param connectTimeout maximum time for each of the steps to connect: to open a socket,
 * and to receive CONNACK
 * @param maxPacketSize maximum remaining length of a received packet, in bytes
 * @param maxPropertiesSize maximum size of the properties of a received packet, in bytes
 * @param buffered receives the number of buffered bytes of a large packet that is still
 * arriving, and 0 afterward
 */
public record ConnectionSettings(String host, int port, @Nullable Tls tls, Duration connectTimeout, int maxPacketSize,
		int maxPropertiesSize, IntConsumer buffered) {

	/** Maximum remaining length of a packet (MQTT 5 section 2.1.4). */
	public static final int MAX_PACKET_SIZE = VariableByteInteger.MAX_VALUE;

}
