package io.statestore.client.mqtt;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;

/** The MQTT session of a Paho link. By default it ends with the connection. */
interface LinkSession {

	/** A session that ends with the connection. */
	LinkSession NONE = new LinkSession() {
	};

	/** Returns the store of the messages that the client has still to complete. */
	default MqttClientPersistence persistence() {
		return new MemoryPersistence();
	}

	/** Changes the options of the CONNECT. */
	default void configure(MqttConnectionOptions options) {
	}

	/** Called before the link connects. */
	default void opening(PahoLink link) {
	}

	/** Called on a network thread, before any message of the connection arrives. */
	default void accepted(IMqttToken token) {
	}

}
