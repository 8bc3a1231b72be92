package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;

/** The first packets of an MQTT client. */
final class ClientPackets {

	static final int KEEP_ALIVE_SECONDS = 30;

	/** Maximum number of requests that the gateway has not acknowledged. */
	private static final int RECEIVE_MAXIMUM = 1000;

	private ClientPackets() {
	}

	/**
	 * Returns a CONNECT packet.
	 * @param sessionExpiry time for which the broker keeps subscriptions and requests of
	 * a disconnected gateway
	 */
	static MqttConnectMessage connect(GatewaySettings settings, String clientId, boolean cleanStart,
			Duration sessionExpiry) {
		MqttProperties properties = new MqttProperties();
		properties.add(property(MqttProperties.SESSION_EXPIRY_INTERVAL, (int) sessionExpiry.toSeconds()));
		properties.add(property(MqttProperties.RECEIVE_MAXIMUM, RECEIVE_MAXIMUM));
		properties.add(property(MqttProperties.MAXIMUM_PACKET_SIZE, settings.maxPacketSize()));
		MqttMessageBuilders.ConnectBuilder connect = MqttMessageBuilders.connect()
			.protocolVersion(MqttVersion.MQTT_5)
			.clientId(clientId)
			.cleanSession(cleanStart)
			.keepAlive(KEEP_ALIVE_SECONDS)
			.properties(properties);
		if (settings.username() != null) {
			connect.hasUser(true).username(settings.username());
		}
		if (settings.password() != null) {
			connect.hasPassword(true).password(settings.password().getBytes(StandardCharsets.UTF_8));
		}
		return connect.build();
	}

	static MqttMessage subscribe(int packetId, String... filters) {
		MqttMessageBuilders.SubscribeBuilder subscribe = MqttMessageBuilders.subscribe().messageId(packetId);
		for (String filter : filters) {
			subscribe.addSubscription(MqttQoS.AT_LEAST_ONCE, filter);
		}
		return subscribe.build();
	}

	static IntegerProperty property(int type, int value) {
		return new IntegerProperty(type, value);
	}

}
