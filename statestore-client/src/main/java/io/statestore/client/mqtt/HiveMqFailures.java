package io.statestore.client.mqtt;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;

import javax.net.ssl.SSLException;

import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import org.eclipse.paho.mqttv5.common.MqttException;

/** Failures of the HiveMQ client as {@link Failures} knows them. */
final class HiveMqFailures {

	private HiveMqFailures() {
	}

	/**
	 * Why a connection could not be made.
	 * @param tls whether it began with a TLS handshake
	 */
	static Throwable ofConnect(Throwable failure, boolean tls) {
		if (failure instanceof Mqtt5ConnAckException refused) {
			return new MqttException(refused.getMqttMessage().getReasonCode().getCode());
		}
		if (failure instanceof Mqtt5DisconnectException disconnected) {
			return new MqttException(disconnected.getMqttMessage().getReasonCode().getCode());
		}
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			// Netty's is one of refused connections.
			if (cause instanceof ConnectException && cause.getClass().getSimpleName().contains("Timeout")) {
				return new SocketTimeoutException(cause.getMessage());
			}
			if (cause instanceof ClosedChannelException) {
				String text = "the broker closed the connection";
				return tls ? new SSLException(text + " during the handshake") : new EOFException(text);
			}
		}
		if (failure instanceof ConnectionClosedException && failure.getCause() == null) {
			return new EOFException(failure.getMessage());
		}
		return failure;
	}

	/** Why a connection broke, in words. */
	static String ofLoss(Throwable failure) {
		if (failure instanceof Mqtt5DisconnectException disconnected) {
			String reason = "the broker disconnected: "
					+ ReasonCode.describe(disconnected.getMqttMessage().getReasonCode().getCode());
			return disconnected.getMqttMessage().getReasonString().map((text) -> reason + ", " + text).orElse(reason);
		}
		return Failures.describe(ofConnect(failure, false));
	}

	/** The reason codes of a refused subscription, or the failure again. */
	static int[] ofSubscribe(Throwable failure) throws Throwable {
		if (failure instanceof Mqtt5SubAckException refused) {
			return refused.getMqttMessage().getReasonCodes().stream().mapToInt((code) -> code.getCode()).toArray();
		}
		throw failure;
	}

}
