package io.statestore.client.mqtt.integration;

import java.util.function.UnaryOperator;

import io.statestore.client.mqtt.internal.ReasonCode;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientInterface;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttWireMessage;
import org.jspecify.annotations.Nullable;

/**
 * A Paho token that reports a refusal by the broker as a failure. It restores the
 * interrupt flag of a waiting thread, and does not call listeners on network threads.
 */
final class AdapterToken implements IMqttToken {

	private final IMqttToken token;

	private final UnaryOperator<MqttActionListener> offNetworkThread;

	/**
	 * @param offNetworkThread wraps a listener, so that it runs on another thread
	 */
	AdapterToken(IMqttToken token, UnaryOperator<MqttActionListener> offNetworkThread) {
		this.token = token;
		this.offNetworkThread = offNetworkThread;
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
			this.token.waitForCompletion(timeout);
		}
		catch (MqttException ex) {
			if (ex.getCause() instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			throw ex;
		}
		MqttException refusal = refusal(this.token);
		if (refusal != null) {
			throw refusal;
		}
	}

	@Override
	public @Nullable MqttException getException() {
		MqttException exception = this.token.getException();
		return (exception != null || !isComplete()) ? exception : refusal(this.token);
	}

	@Override
	public void setActionCallback(@Nullable MqttActionListener listener) {
		this.token.setActionCallback((listener != null) ? this.offNetworkThread.apply(listener) : null);
	}

	@Override
	public @Nullable MqttActionListener getActionCallback() {
		return this.token.getActionCallback();
	}

	@Override
	public boolean isComplete() {
		return this.token.isComplete();
	}

	@Override
	public MqttClientInterface getClient() {
		return this.token.getClient();
	}

	@Override
	public String[] getTopics() {
		return this.token.getTopics();
	}

	@Override
	public void setUserContext(@Nullable Object context) {
		this.token.setUserContext(context);
	}

	@Override
	public @Nullable Object getUserContext() {
		return this.token.getUserContext();
	}

	@Override
	public int getMessageId() {
		return this.token.getMessageId();
	}

	@Override
	public int[] getGrantedQos() {
		return this.token.getGrantedQos();
	}

	@Override
	public int[] getReasonCodes() {
		return this.token.getReasonCodes();
	}

	@Override
	public boolean getSessionPresent() {
		return this.token.getSessionPresent();
	}

	@Override
	public MqttWireMessage getResponse() {
		return this.token.getResponse();
	}

	@Override
	public MqttProperties getResponseProperties() {
		return this.token.getResponseProperties();
	}

	@Override
	public MqttMessage getMessage() throws MqttException {
		return this.token.getMessage();
	}

	@Override
	public MqttWireMessage getRequestMessage() {
		return this.token.getRequestMessage();
	}

	@Override
	public MqttProperties getRequestProperties() {
		return this.token.getRequestProperties();
	}

}
