package io.statestore.client.mqtt;

import java.util.concurrent.CompletableFuture;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that a network thread ever calls: hands over and throws nothing. */
final class LinkCallback implements MqttCallback {

	private static final Logger logger = LoggerFactory.getLogger(LinkCallback.class);

	private final MessageSink sink;

	private final CompletableFuture<String> lost;

	LinkCallback(MessageSink sink, CompletableFuture<String> lost) {
		this.sink = sink;
		this.lost = lost;
	}

	@Override
	public void messageArrived(String topic, MqttMessage message) {
		if (this.lost.isDone()) {
			// The next connection may have begun, and this is not one of its messages.
			return;
		}
		try {
			this.sink.messageArrived(topic, message);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Could not hand over a message on topic {}", topic, ex);
		}
	}

	@Override
	public void disconnected(MqttDisconnectResponse response) {
		MqttException exception = response.getException();
		if (exception != null) {
			this.lost.complete(Failures.describe(exception));
			return;
		}
		String reason = "the broker disconnected: " + ReasonCode.describe(response.getReturnCode());
		this.lost.complete((response.getReasonString() != null) ? reason + ", " + response.getReasonString() : reason);
	}

	@Override
	public void mqttErrorOccurred(MqttException exception) {
		logger.debug("MQTT error", exception);
	}

	@Override
	public void deliveryComplete(IMqttToken token) {
	}

	@Override
	public void connectComplete(boolean reconnect, String serverUri) {
	}

	@Override
	public void authPacketArrived(int reasonCode, MqttProperties properties) {
	}

}
