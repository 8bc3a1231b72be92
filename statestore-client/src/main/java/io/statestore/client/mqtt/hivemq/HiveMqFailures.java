package io.statestore.client.mqtt.hivemq;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;

import javax.net.ssl.SSLException;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
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
			Mqtt5ConnAck message = refused.getMqttMessage();
			return new ConnectionRefusedException(message.getReasonCode().getCode(),
					text(message.getServerReference()));
		}
		if (failure instanceof Mqtt5DisconnectException disconnected) {
			Mqtt5Disconnect message = disconnected.getMqttMessage();
			return new ConnectionRefusedException(message.getReasonCode().getCode(),
					text(message.getServerReference()));
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
			return new BrokerDisconnectException(message.getReasonCode().getCode(), text(message.getReasonString()),
					text(message.getServerReference()));
		}
		return ofConnect(failure, false);
	}

	/** Returns a property of a packet as text, or {@code null} if it is missing. */
	static @Nullable String text(Optional<MqttUtf8String> property) {
		return property.map(Object::toString).orElse(null);
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
