package io.statestore.client.mqtt.integration;

import java.util.concurrent.Executor;

import io.statestore.client.mqtt.internal.ReasonCode;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttSubscribe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports an outcome to a listener on another thread, and a refusal by the broker as a
 * failure. Logs refused subscriptions, which the adapters of Spring Integration ignore.
 *
 * @param listener the listener, or {@code null} for none
 * @param executor runs the listener
 */
record AdapterOutcomeListener(@Nullable MqttActionListener listener, Executor executor) implements MqttActionListener {

	private static final Logger logger = LoggerFactory.getLogger(AdapterOutcomeListener.class);

	@Override
	public void onSuccess(IMqttToken token) {
		MqttException refusal = AdapterToken.refusal(token);
		if (refusal != null) {
			logRefusedSubscriptions(token);
			onFailure(token, refusal);
		}
		else if (this.listener != null) {
			MqttActionListener listener = this.listener;
			this.executor.execute(() -> listener.onSuccess(token));
		}
	}

	private static void logRefusedSubscriptions(IMqttToken token) {
		if (token.getRequestMessage() instanceof MqttSubscribe subscribe) {
			MqttSubscription[] requested = subscribe.getSubscriptions();
			int[] codes = token.getReasonCodes();
			for (int i = 0; i < Math.min(requested.length, codes.length); i++) {
				if (ReasonCode.isFailure(codes[i])) {
					logger.warn("The broker refused the subscription to '{}': {}", requested[i].getTopic(),
							ReasonCode.describe(codes[i]));
				}
			}
		}
	}

	@Override
	public void onFailure(IMqttToken token, Throwable exception) {
		if (this.listener != null) {
			MqttActionListener listener = this.listener;
			this.executor.execute(() -> listener.onFailure(token, exception));
		}
	}

}
