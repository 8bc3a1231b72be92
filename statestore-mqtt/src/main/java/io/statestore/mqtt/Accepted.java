package io.statestore.mqtt;

import java.util.List;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import org.jspecify.annotations.Nullable;

/**
 * A CONNACK that accepts the connection (MQTT 5 section 3.2).
 *
 * @param sessionPresent whether the broker continues an earlier session
 * @param receiveMaximum maximum number of unacknowledged messages sent to the broker
 * @param maxPacketSize maximum size of a packet sent to the broker, in bytes
 * @param maximumQos highest QoS of messages sent to the broker
 * @param retainAvailable whether the broker retains messages
 * @param subscriptionIdentifiersAvailable whether subscriptions may have an identifier
 * @param serverReference another server to use, or {@code null}
 * @param userProperties name-value pairs, in packet order
 */
public record Accepted(boolean sessionPresent, int receiveMaximum, long maxPacketSize, int maximumQos,
		boolean retainAvailable, boolean subscriptionIdentifiersAvailable, @Nullable String serverReference,
		List<StringPair> userProperties) {

	private static final int MAX_RECEIVE_MAXIMUM = 65_535;

	static Accepted of(MqttConnAckMessage connAck) {
		MqttProperties properties = connAck.variableHeader().properties();
		return new Accepted(connAck.variableHeader().isSessionPresent(),
				(int) Properties.number(properties, MqttProperties.RECEIVE_MAXIMUM, MAX_RECEIVE_MAXIMUM),
				Properties.number(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE),
				(int) Properties.number(properties, MqttProperties.MAXIMUM_QOS, 2),
				Properties.number(properties, MqttProperties.RETAIN_AVAILABLE, 1) != 0,
				Properties.number(properties, MqttProperties.SUBSCRIPTION_IDENTIFIER_AVAILABLE, 1) != 0,
				Properties.value(properties, MqttProperties.SERVER_REFERENCE, String.class),
				Properties.userProperties(properties));
	}

}
