package io.statestore.client.mqtt.internal;

import io.statestore.client.mqtt.internal.Link.Submission;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/** Translates failures of Paho. */
final class PahoFailures {

	private PahoFailures() {
	}

	/**
	 * Returns a refusal by the broker as such, and any other failure unchanged.
	 * @param serverReference Server Reference of the broker, or {@code null}
	 */
	static Throwable translate(Throwable failure, @Nullable String serverReference) {
		return (failure instanceof MqttException mqtt && mqtt.getCause() == null
				&& ReasonCode.isFailure(mqtt.getReasonCode()))
						? BrokerException.refused(mqtt.getReasonCode(), serverReference) : failure;
	}

	/**
	 * Returns the outcome of a publish that Paho did not accept, or {@code null} if the
	 * message itself is the reason.
	 */
	static @Nullable Submission submission(MqttException failure) {
		return switch (failure.getReasonCode()) {
			case MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED,
					MqttClientException.REASON_CODE_CLIENT_DISCONNECTING,
					MqttClientException.REASON_CODE_CLIENT_CLOSED ->
				Submission.NOT_CONNECTED;
			case MqttClientException.REASON_CODE_MAX_INFLIGHT,
					MqttClientException.REASON_CODE_NO_MESSAGE_IDS_AVAILABLE ->
				Submission.WINDOW_FULL;
			default -> null;
		};
	}

}
