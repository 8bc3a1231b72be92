package io.statestore.client.mqtt.integration;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.client.mqtt.internal.InFlight;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.client.MqttClientInterface;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttWireMessage;
import org.jspecify.annotations.Nullable;

/**
 * A request of an adapter. A refusal by the broker is a failure. The listener is not
 * called on network threads. Thread-safe.
 */
final class AdapterToken implements IMqttToken, Acknowledgment {

	private final MqttClientInterface client;

	private final String[] topics;

	/** The message to publish, {@code null} for other requests. */
	private final @Nullable MqttMessage message;

	private final CompletableFuture<int[]> answer = new CompletableFuture<>();

	private volatile @Nullable MqttActionListener listener;

	private volatile @Nullable Object userContext;

	private volatile int packetId;

	/**
	 * @param message message to publish, or {@code null} for another request
	 * @param executor runs the listener
	 */
	AdapterToken(MqttClientInterface client, String[] topics, @Nullable MqttMessage message,
			@Nullable Object userContext, @Nullable MqttActionListener listener, Executor executor) {
		this.client = client;
		this.topics = topics;
		this.message = message;
		this.userContext = userContext;
		this.listener = listener;
		this.answer.whenComplete((codes, failure) -> executor.execute(this::callListener));
	}

	private void callListener() {
		MqttActionListener listener = this.listener;
		MqttException failure = getException();
		if (listener != null && failure != null) {
			listener.onFailure(this, failure);
		}
		else if (listener != null) {
			listener.onSuccess(this);
		}
	}

	@Override
	public void assigned(int packetId) {
		boolean identified = this.message == null || this.message.getQos() > 0;
		this.packetId = identified ? packetId : 0;
	}

	/**
	 * Returns the answer of the broker: its reason codes, which may be refusals.
	 */
	CompletableFuture<int[]> answer() {
		return this.answer;
	}

	@Override
	public void acknowledged(int... codes) {
		this.answer.complete(codes);
	}

	@Override
	public void lost(Throwable cause) {
		this.answer.completeExceptionally(new MqttException(MqttClientException.REASON_CODE_CONNECTION_LOST));
	}

	@Override
	public void waitForCompletion() throws MqttException {
		waitForCompletion(-1);
	}

	@Override
	public void waitForCompletion(long timeout) throws MqttException {
		try {
			if (timeout > 0) {
				this.answer.get(timeout, TimeUnit.MILLISECONDS);
			}
			else {
				this.answer.get();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MqttException(ex);
		}
		catch (TimeoutException ex) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_TIMEOUT);
		}
		catch (ExecutionException ex) {
			// Thrown below.
		}
		MqttException failure = getException();
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public boolean isComplete() {
		return this.answer.isDone();
	}

	@Override
	public @Nullable MqttException getException() {
		try {
			int[] codes = this.answer.getNow(null);
			int failure = (codes != null)
					? Arrays.stream(codes).filter((code) -> InFlight.refusal(code) != null).findFirst().orElse(0) : 0;
			return (failure != 0) ? new MqttException(failure) : null;
		}
		catch (CompletionException ex) {
			return (MqttException) ex.getCause();
		}
	}

	@Override
	public int @Nullable [] getReasonCodes() {
		return this.answer.isCompletedExceptionally() ? null : this.answer.getNow(null);
	}

	@Override
	public int @Nullable [] getGrantedQos() {
		return getReasonCodes();
	}

	@Override
	public void setActionCallback(@Nullable MqttActionListener listener) {
		this.listener = listener;
	}

	@Override
	public @Nullable MqttActionListener getActionCallback() {
		return this.listener;
	}

	@Override
	public void setUserContext(@Nullable Object userContext) {
		this.userContext = userContext;
	}

	@Override
	public @Nullable Object getUserContext() {
		return this.userContext;
	}

	@Override
	public MqttClientInterface getClient() {
		return this.client;
	}

	@Override
	public String[] getTopics() {
		return this.topics;
	}

	@Override
	public int getMessageId() {
		return this.packetId;
	}

	@Override
	public @Nullable MqttMessage getMessage() {
		return this.message;
	}

	@Override
	public boolean getSessionPresent() {
		return false;
	}

	@Override
	public @Nullable MqttWireMessage getResponse() {
		return null;
	}

	@Override
	public @Nullable MqttProperties getResponseProperties() {
		return null;
	}

	@Override
	public @Nullable MqttWireMessage getRequestMessage() {
		return null;
	}

	@Override
	public @Nullable MqttProperties getRequestProperties() {
		return (this.message != null) ? this.message.getProperties() : null;
	}

}
