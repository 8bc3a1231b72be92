package io.statestore.client.mqtt;

import io.statestore.protocol.InvalidOptionException;

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
		// ClassUtils would load many classes at the start of the command line.
		try {
			Class.forName(className, false, Transport.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

}
