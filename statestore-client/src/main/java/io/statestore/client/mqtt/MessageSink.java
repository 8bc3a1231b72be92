package io.statestore.client.mqtt;

import org.eclipse.paho.mqttv5.common.MqttMessage;

/**
 * Takes messages off the network thread. It must only hand over and never block; an
 * exception is logged and goes no further.
 */
@FunctionalInterface
public interface MessageSink {

	/** A message arrived; messages of one connection come in order. */
	void messageArrived(String topic, MqttMessage message);

}
