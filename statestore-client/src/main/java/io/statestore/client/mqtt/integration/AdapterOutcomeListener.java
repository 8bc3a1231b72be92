package io.statestore.client.mqtt.integration;

import java.util.concurrent.Executor;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;

/**
 * Reports an outcome to a listener on another thread, and a refusal by the broker as a
 * failure.
 */
record AdapterOutcomeListener(MqttActionListener listener, Executor executor) implements MqttActionListener {

	@Override
	public void onSuccess(IMqttToken token) {
		MqttException refusal = AdapterToken.refusal(token);
		this.executor.execute((refusal != null) ? () -> this.listener.onFailure(token, refusal)
				: () -> this.listener.onSuccess(token));
	}

	@Override
	public void onFailure(IMqttToken token, Throwable exception) {
		this.executor.execute(() -> this.listener.onFailure(token, exception));
	}

}
