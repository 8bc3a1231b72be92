package io.statestore.client.mqtt.internal;

import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttMessage;

/**
 * The MQTT session of a Paho link. By default it ends with the connection.
 */
@FunctionalInterface
public interface PahoSession {

	/**
	 * Called on a network thread for each message, in the order of arrival. Must not
	 * block. Exceptions are logged.
	 * @param topic topic name
	 * @param message the message
	 */
	void messageArrived(String topic, MqttMessage message);

	/**
	 * Returns the store of messages that the client has still to complete.
	 * @return the store
	 */
	default MqttClientPersistence persistence() {
		return new MemoryPersistence();
	}

	/**
	 * Changes the options of the CONNECT.
	 * @param options the options
	 */
	default void configure(MqttConnectionOptions options) {
	}

	/**
	 * Called before the link connects.
	 * @param link the link
	 * @param client the client of the link
	 */
	default void opening(Link link, IMqttAsyncClient client) {
	}

	/**
	 * Called on a network thread, before any message of the connection arrives.
	 * @param token the token of the CONNACK
	 */
	default void accepted(IMqttToken token) {
	}

}
