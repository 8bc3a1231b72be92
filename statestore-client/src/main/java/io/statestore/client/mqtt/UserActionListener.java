package io.statestore.client.mqtt;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of a user about an outcome, off the network threads. A refusal by the
 * broker is a failure, other than with Paho.
 */
final class UserActionListener implements MqttActionListener {

	private final @Nullable MqttActionListener target;

	private final Mailbox mailbox;

	private final Runnable first;

	/**
	 * @param first runs on the network thread, before anything else
	 */
	UserActionListener(@Nullable MqttActionListener target, Mailbox mailbox, Runnable first) {
		this.target = target;
		this.mailbox = mailbox;
		this.first = first;
	}

	@Override
	public void onSuccess(IMqttToken token) {
		this.first.run();
		MqttActionListener target = this.target;
		if (target != null) {
			MqttException refusal = SharedToken.refusal(token);
			this.mailbox
				.offer((refusal != null) ? () -> target.onFailure(token, refusal) : () -> target.onSuccess(token));
		}
	}

	@Override
	public void onFailure(IMqttToken token, Throwable exception) {
		this.first.run();
		MqttActionListener target = this.target;
		if (target != null) {
			this.mailbox.offer(() -> target.onFailure(token, exception));
		}
	}

}
