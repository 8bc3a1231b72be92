package io.statestore.client.mqtt;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import io.statestore.client.StateStoreException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/** Why a connection failed, in words a user can act on. */
final class Failures {

	private static final int SESSION_TAKEN_OVER = 0x8E;

	private Failures() {
	}

	/** A short cause, for logs and messages. */
	static String describe(Throwable failure) {
		Throwable cause = rootCause(failure);
		if (cause instanceof ConnectException) {
			return "connection refused";
		}
		if (cause instanceof UnknownHostException) {
			return "unknown host";
		}
		if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
			return "no answer in time";
		}
		if (cause instanceof EOFException) {
			return "the broker closed the connection";
		}
		if (cause instanceof SSLException) {
			return "TLS: " + cause.getMessage();
		}
		if (cause instanceof MqttException mqtt && ReasonCode.isFailure(mqtt.getReasonCode())) {
			return "refused by the broker: " + ReasonCode.describe(mqtt.getReasonCode());
		}
		return (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName();
	}

	/** What to do about it, empty if the cause says it all. */
	static String nextStep(@Nullable Throwable failure, ConnectionOptions options) {
		Throwable cause = (failure != null) ? rootCause(failure) : null;
		if (cause instanceof StateStoreException) {
			return "";
		}
		if (cause instanceof MqttException mqtt && ReasonCode.isFailure(mqtt.getReasonCode())) {
			return switch (mqtt.getReasonCode()) {
				case 0x84 -> "The broker must speak MQTT 5.";
				case 0x85, SESSION_TAKEN_OVER -> "Check statestore.client-id.";
				case 0x86, 0x87, 0x8C -> "Check statestore.username and statestore.password.";
				default -> "See the log of the broker.";
			};
		}
		if (cause instanceof SSLException) {
			return "Check that the broker speaks TLS on port " + options.port()
					+ " and that its certificate is trusted and names '" + options.host() + "'.";
		}
		if (cause instanceof EOFException) {
			return "Check statestore.host and statestore.port: is it an MQTT 5 broker, and does it expect "
					+ ((options.tls() != null) ? "plain TCP" : "TLS") + " there?";
		}
		return "Check statestore.host and statestore.port, and that a broker "
				+ ((options.tls() != null) ? "speaks TLS" : "runs") + " there.";
	}

	private static Throwable rootCause(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null && cause.getCause() != cause && !(cause instanceof SSLException)) {
			cause = cause.getCause();
		}
		return cause;
	}

}
