package io.statestore.client.mqtt.integration;

import io.statestore.client.mqtt.internal.ReasonCode;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs refused subscriptions, which the adapters of Spring Integration ignore. */
record AdapterSubscribeListener(MqttSubscription[] requested,
		@Nullable MqttActionListener next) implements MqttActionListener {

	private static final Logger logger = LoggerFactory.getLogger(AdapterSubscribeListener.class);

	@Override
	public void onSuccess(IMqttToken token) {
		int[] codes = token.getReasonCodes();
		for (int i = 0; codes != null && i < codes.length && i < this.requested.length; i++) {
			if (ReasonCode.isFailure(codes[i])) {
				logger.warn("The broker refused the subscription to '{}': {}", this.requested[i].getTopic(),
						ReasonCode.describe(codes[i]));
			}
		}
		if (this.next != null) {
			this.next.onSuccess(token);
		}
	}

	@Override
	public void onFailure(IMqttToken token, Throwable exception) {
		if (this.next != null) {
			this.next.onFailure(token, exception);
		}
	}

}
