package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Brings the intervals of clients into the range that Artemis 2.43 can count. It keeps
 * them in an {@code int} of milliseconds, so that 25 days and more are over at once; and
 * it holds back a will without delay for as long as its session lives.
 */
final class Intervals {

	/** About 24.8 days. */
	static final int MAX_SECONDS = Integer.MAX_VALUE / 1000;

	private static final int FOREVER = -1;

	private Intervals() {
	}

	/**
	 * Adjust a CONNECT.
	 * @return the session expiry to tell the client, {@code null} if it is the one it
	 * asked for
	 */
	static @Nullable Integer adjust(MqttConnectMessage connect) {
		MqttProperties properties = connect.variableHeader().properties();
		Integer requested = Packets.property(properties, MqttPropertyType.SESSION_EXPIRY_INTERVAL, Integer.class);
		Integer capped = adjustSessionExpiry(properties);
		if (connect.variableHeader().isWillFlag() && requested != null && requested != 0) {
			MqttProperties will = connect.payload().willProperties();
			Integer delay = Packets.property(will, MqttPropertyType.WILL_DELAY_INTERVAL, Integer.class);
			if (delay == null || delay == 0) {
				will.add(new IntegerProperty(MqttPropertyType.WILL_DELAY_INTERVAL.value(), 1));
			}
			else {
				cap(will, MqttPropertyType.WILL_DELAY_INTERVAL);
			}
		}
		return capped;
	}

	/** Adjust the properties of a CONNECT or DISCONNECT. */
	static @Nullable Integer adjustSessionExpiry(MqttProperties properties) {
		Integer requested = Packets.property(properties, MqttPropertyType.SESSION_EXPIRY_INTERVAL, Integer.class);
		boolean forever = requested != null && requested == FOREVER;
		return (!forever && cap(properties, MqttPropertyType.SESSION_EXPIRY_INTERVAL)) ? MAX_SECONDS : null;
	}

	/** Adjust the properties of a PUBLISH. */
	static void adjustMessageExpiry(MqttProperties properties) {
		cap(properties, MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL);
	}

	private static boolean cap(MqttProperties properties, MqttPropertyType type) {
		Integer seconds = Packets.property(properties, type, Integer.class);
		boolean tooLong = seconds != null && Integer.toUnsignedLong(seconds) > MAX_SECONDS;
		if (tooLong) {
			properties.add(new IntegerProperty(type.value(), MAX_SECONDS));
		}
		return tooLong;
	}

}
