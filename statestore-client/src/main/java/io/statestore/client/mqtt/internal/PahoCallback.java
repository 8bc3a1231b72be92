package io.statestore.client.mqtt.internal;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.client.mqtt.internal.PahoLink.PahoSession;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttReturnCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Callback for Paho's network threads. Hands over and throws no exception. */
final class PahoCallback implements MqttCallback {

	private static final Logger logger = LoggerFactory.getLogger(PahoCallback.class);

	private final PahoSession session;

	private final CompletableFuture<Throwable> lost;

	private final Consumer<String> abort;

	/** Outcome of the latest authentication on this connection. */
	private volatile CompletableFuture<Void> authentication = new CompletableFuture<>();

	/**
	 * @param abort ends the connection for a reason
	 */
	PahoCallback(PahoSession session, CompletableFuture<Throwable> lost, Consumer<String> abort) {
		this.session = session;
		this.lost = lost;
		this.abort = abort;
	}

	/**
	 * Returns the outcome of an authentication that is about to start.
	 */
	CompletableFuture<Void> awaitAuthentication() {
		CompletableFuture<Void> outcome = new CompletableFuture<>();
		this.authentication = outcome;
		return outcome;
	}

	@Override
	public void messageArrived(String topic, MqttMessage message) {
		if (this.lost.isDone()) {
			// The next connection may have begun, and this is not one of its messages.
			return;
		}
		try {
			this.session.messageArrived(topic, message);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Failed to hand over a message on topic {}", topic, ex);
		}
	}

	@Override
	public void disconnected(MqttDisconnectResponse response) {
		MqttException exception = response.getException();
		this.lost.complete((exception != null) ? PahoFailures.translate(exception, null) : BrokerException
			.disconnected(response.getReturnCode(), response.getReasonString(), response.getServerReference()));
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
		if (reasonCode == MqttReturnCode.RETURN_CODE_SUCCESS) {
			this.authentication.complete(null);
		}
		else {
			this.abort.accept(
					"the broker requests a further step of the authentication, which the client does not " + "support");
		}
	}

}
