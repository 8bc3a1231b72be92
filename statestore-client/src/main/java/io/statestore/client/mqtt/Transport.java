package io.statestore.client.mqtt;

import io.statestore.client.InvalidOptionException;

import org.springframework.util.ClassUtils;

/** MQTT library of a connection. The behavior of the connection is the same with each. */
public enum Transport {

	/** Eclipse Paho. */
	PAHO,

	/**
	 * The HiveMQ MQTT client, an optional dependency. Faster with many calls in flight.
	 */
	HIVEMQ;

	/** Coordinates of the tested version. */
	private static final String HIVEMQ_CLIENT = "com.hivemq:hivemq-mqtt-client:1.4.1";

	/**
	 * Throws an {@link InvalidOptionException} if the library is not on the class path.
	 */
	void requireAvailable() {
		if (this == HIVEMQ && !isPresent("com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient")) {
			throw new InvalidOptionException("transport", this,
					"must be PAHO, because the HiveMQ MQTT client is not on the class path",
					"Add the dependency " + HIVEMQ_CLIENT + ", or use the transport PAHO");
		}
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Transport.class.getClassLoader());
	}

}
