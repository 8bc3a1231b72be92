package io.statestore.mqtt;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import org.jspecify.annotations.Nullable;

/** Creates the packets that an MQTT 5 client sends. */
public final class ClientPackets {

	private static final int REAUTHENTICATE = 0x19;

	private ClientPackets() {
	}

	/**
	 * Returns a builder for a CONNECT packet.
	 * @param clientId MQTT client id
	 * @param cleanStart whether to discard an earlier session
	 * @param keepAliveSeconds the keep-alive interval in seconds, 0 for none
	 * @param username user name, or {@code null} for none
	 * @param password password, or {@code null} for none
	 * @param properties the CONNECT properties
	 * @return a builder with these values
	 */
	public static MqttMessageBuilders.ConnectBuilder connect(String clientId, boolean cleanStart, int keepAliveSeconds,
			@Nullable String username, byte @Nullable [] password, MqttProperties properties) {
		MqttMessageBuilders.ConnectBuilder connect = MqttMessageBuilders.connect()
			.protocolVersion(MqttVersion.MQTT_5)
			.clientId(clientId)
			.cleanSession(cleanStart)
			.keepAlive(keepAliveSeconds)
			.properties(properties);
		if (username != null) {
			connect.hasUser(true).username(username);
		}
		if (password != null) {
			connect.hasPassword(true).password(password);
		}
		return connect;
	}

	/**
	 * Returns a SUBSCRIBE packet with QoS 1.
	 * @param packetId packet identifier
	 * @param filters topic filters
	 * @return a new packet
	 */
	public static MqttMessage subscribe(int packetId, String... filters) {
		MqttMessageBuilders.SubscribeBuilder subscribe = MqttMessageBuilders.subscribe().messageId(packetId);
		for (String filter : filters) {
			subscribe.addSubscription(MqttQoS.AT_LEAST_ONCE, filter);
		}
		return subscribe.build();
	}

	/**
	 * Returns a PUBREL packet, which completes a message with QoS 2.
	 * @param packetId packet identifier of the message
	 * @return a new packet
	 */
	public static MqttMessage release(int packetId) {
		return new MqttMessage(new MqttFixedHeader(MqttMessageType.PUBREL, false, MqttQoS.AT_LEAST_ONCE, false, 0),
				MqttMessageIdVariableHeader.from(packetId));
	}

	/**
	 * Returns an AUTH packet for re-authentication (MQTT 5 section 4.12.1).
	 * @param method the authentication method in the CONNECT
	 * @param data authentication data
	 * @return a new packet
	 */
	public static MqttMessage reauthenticate(String method, byte[] data) {
		return MqttMessageBuilders.auth()
			.reasonCode((byte) REAUTHENTICATE)
			.properties(authentication(method, data))
			.build();
	}

	/**
	 * Returns the properties for enhanced authentication.
	 * @param method authentication method
	 * @param data authentication data
	 * @return new properties
	 */
	public static MqttProperties authentication(String method, byte[] data) {
		MqttProperties properties = new MqttProperties();
		properties.add(new StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
		properties.add(new BinaryProperty(MqttProperties.AUTHENTICATION_DATA, data));
		return properties;
	}

	/**
	 * Returns a property with a number as its value.
	 * @param type the property's identifier
	 * @param value the property's value
	 * @return a new property
	 */
	public static IntegerProperty property(int type, int value) {
		return new IntegerProperty(type, value);
	}

}
