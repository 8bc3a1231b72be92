package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Limits on the expiry intervals that clients request. Artemis 2.43 counts intervals in
 * an {@code int} of milliseconds, so that 25 days or more would expire at once.
 */
final class Intervals {

	/** Maximum interval, about 24.8 days. */
	static final int MAX_SECONDS = Integer.MAX_VALUE / 1000;

	/** Session expiry interval of a session that does not expire. */
	private static final int FOREVER = -1;

	private Intervals() {
	}

	/**
	 * Adjusts the session expiry and the will delay of a CONNECT.
	 * @param connect the CONNECT, whose properties may change
	 * @return the session expiry for the CONNACK in seconds, or {@code null} if the
	 * requested one is granted
	 */
	static @Nullable Integer adjust(MqttConnectMessage connect) {
		MqttProperties properties = connect.variableHeader().properties();
		if (connect.variableHeader().isWillFlag()) {
			cap(connect.payload().willProperties(), MqttProperties.WILL_DELAY_INTERVAL);
		}
		return adjustSessionExpiry(properties);
	}

	/**
	 * Adjusts the session expiry of a CONNECT or DISCONNECT.
	 * @param properties the properties of the packet
	 * @return the granted session expiry in seconds, or {@code null} if it is the
	 * requested one
	 */
	static @Nullable Integer adjustSessionExpiry(MqttProperties properties) {
		Integer requested = Packets.property(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, Integer.class);
		boolean forever = requested != null && requested == FOREVER;
		return (!forever && cap(properties, MqttProperties.SESSION_EXPIRY_INTERVAL)) ? MAX_SECONDS : null;
	}

	/**
	 * Adjusts the message expiry of a PUBLISH.
	 * @param properties the properties of the packet
	 */
	static void adjustMessageExpiry(MqttProperties properties) {
		cap(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL);
	}

	private static boolean cap(MqttProperties properties, int type) {
		Integer seconds = Packets.property(properties, type, Integer.class);
		boolean tooLong = seconds != null && Integer.toUnsignedLong(seconds) > MAX_SECONDS;
		if (tooLong) {
			properties.add(new IntegerProperty(type, MAX_SECONDS));
		}
		return tooLong;
	}

}
