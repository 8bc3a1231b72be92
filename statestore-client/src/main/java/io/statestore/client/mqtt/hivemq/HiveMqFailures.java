package io.statestore.client.mqtt.hivemq;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;

import javax.net.ssl.SSLException;

import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import io.statestore.client.mqtt.link.BrokerDisconnectException;
import io.statestore.client.mqtt.link.ConnectionRefusedException;
import org.jspecify.annotations.Nullable;

/** Translates failures of the HiveMQ client. */
final class HiveMqFailures {

	private HiveMqFailures() {
	}

	/**
	 * Returns the cause of a failed connect.
	 * @param tls whether the connect starts with a TLS handshake
	 */
	static Throwable ofConnect(Throwable failure, boolean tls) {
		if (failure instanceof Mqtt5ConnAckException refused) {
			return new ConnectionRefusedException(refused.getMqttMessage().getReasonCode().getCode());
		}
		if (failure instanceof Mqtt5DisconnectException disconnected) {
			return new ConnectionRefusedException(disconnected.getMqttMessage().getReasonCode().getCode());
		}
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			// Netty's timeout extends the exception of refused connections.
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

	/** Returns the cause of a lost connection. */
	static Throwable ofLoss(Throwable failure) {
		if (failure instanceof Mqtt5DisconnectException disconnected) {
			Mqtt5Disconnect message = disconnected.getMqttMessage();
			return new BrokerDisconnectException(message.getReasonCode().getCode(),
					message.getReasonString().map(Object::toString).orElse(null));
		}
		return ofConnect(failure, false);
	}

	/**
	 * Returns the reason codes of a refused subscription, or {@code null} if it failed
	 * otherwise.
	 */
	static int @Nullable [] ofSubscribe(Throwable failure) {
		return (failure instanceof Mqtt5SubAckException refused)
				? refused.getMqttMessage().getReasonCodes().stream().mapToInt((code) -> code.getCode()).toArray()
				: null;
	}

}
