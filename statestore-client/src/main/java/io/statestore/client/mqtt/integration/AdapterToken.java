package io.statestore.client.mqtt.integration;

import java.util.concurrent.Executor;

import io.statestore.client.mqtt.internal.ReasonCode;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttToken;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/**
 * A Paho token that reports a refusal by the broker as a failure. It restores the
 * interrupt flag of a waiting thread, and does not call listeners on network threads.
 */
final class AdapterToken extends MqttToken {

	private final Executor executor;

	/**
	 * @param token a token of Paho's own client
	 * @param executor runs the listeners
	 */
	AdapterToken(IMqttToken token, Executor executor) {
		this.internalTok = ((MqttToken) token).internalTok;
		this.executor = executor;
	}

	/**
	 * Returns the refusal by the broker, which Paho reports as a success, or {@code null}
	 * if there is none.
	 */
	static @Nullable MqttException refusal(IMqttToken token) {
		int[] codes = token.getReasonCodes();
		int failure = (codes != null) ? ReasonCode.firstFailure(codes) : 0;
		return (failure != 0) ? new MqttException(failure) : null;
	}

	@Override
	public void waitForCompletion() throws MqttException {
		waitForCompletion(-1);
	}

	@Override
	public void waitForCompletion(long timeout) throws MqttException {
		try {
			super.waitForCompletion(timeout);
		}
		catch (MqttException ex) {
			if (ex.getCause() instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			throw ex;
		}
		MqttException refusal = refusal(this);
		if (refusal != null) {
			throw refusal;
		}
	}

	@Override
	public @Nullable MqttException getException() {
		MqttException exception = super.getException();
		return (exception != null || !isComplete()) ? exception : refusal(this);
	}

	@Override
	public void setActionCallback(@Nullable MqttActionListener listener) {
		super.setActionCallback((listener != null) ? new AdapterOutcomeListener(listener, this.executor) : null);
	}

}
