package io.statestore.client.mqtt;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The MQTT library that makes connections. The client behaves the same with either. */
public enum Transport {

	/** Eclipse Paho. */
	PAHO,

	/**
	 * The HiveMQ MQTT client, an optional dependency. Faster with many calls in flight.
	 */
	HIVEMQ;

	/** Maven coordinates of a tested version. */
	private static final String HIVEMQ_CLIENT = "com.hivemq:hivemq-mqtt-client:1.4.1";

	/** Returns why this transport cannot be used, {@code null} if it can. */
	@Nullable String problem() {
		return (this == PAHO || isPresent("com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient")) ? null
				: "the HiveMQ MQTT client is not on the class path. Add " + HIVEMQ_CLIENT
						+ " to the application, or use statestore.transport=paho";
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Transport.class.getClassLoader());
	}

}
