package io.statestore.client.mqtt;

import io.statestore.protocol.InvalidOptionException;

import org.springframework.util.ClassUtils;

/** MQTT client of a connection. The behavior of the connection is the same with each. */
public enum Transport {

	/** Eclipse Paho. */
	PAHO,

	/**
	 * Our own connection on Netty, an optional dependency. Faster with many calls in
	 * flight.
	 */
	NETTY;

	/**
	 * Throws an {@link InvalidOptionException} if the transport is not on the class path.
	 */
	void requireAvailable() {
		if (this == NETTY && !isPresent("io.statestore.mqtt.BrokerConnection")) {
			throw new InvalidOptionException("transport", this,
					"must be PAHO, because statestore-mqtt is not on the class path",
					"Add the dependency io.statestore:statestore-mqtt, or use the transport PAHO");
		}
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Transport.class.getClassLoader());
	}

}
