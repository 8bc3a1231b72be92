package io.statestore.client.mqtt;

import java.util.Arrays;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Subscribes for users of the shared client. Their listeners stay with us. */
final class SharedSubscriber {

	private static final Logger logger = LoggerFactory.getLogger(SharedSubscriber.class);

	private final UserSubscriptions subscriptions;

	private final OwnSubscriptions ownSubscriptions;

	private final Mailbox mailbox;

	SharedSubscriber(UserSubscriptions subscriptions, OwnSubscriptions ownSubscriptions, Mailbox mailbox) {
		this.subscriptions = subscriptions;
		this.ownSubscriptions = ownSubscriptions;
		this.mailbox = mailbox;
	}

	IMqttToken subscribe(SharedArguments args, PahoLink link) throws MqttException {
		MqttSubscription[] requested = args.subscriptions();
		// Before the request: retained messages come ahead of its acknowledgement.
		for (int i = 0; i < requested.length; i++) {
			this.subscriptions.put(requested[i].getTopic(), args.listener(i));
		}
		try {
			MqttActionListener listener = new Granted(requested, wrap(args.first(MqttActionListener.class)));
			return shared(link.subscribe(requested, args.userContext(), listener, args.properties()));
		}
		catch (MqttException | RuntimeException ex) {
			for (MqttSubscription subscription : requested) {
				this.subscriptions.remove(subscription.getTopic());
			}
			throw ex;
		}
	}

	IMqttToken unsubscribe(SharedArguments args, PahoLink link) throws MqttException {
		String[] filters = args.filters();
		for (String filter : filters) {
			if (this.ownSubscriptions.contains(filter)) {
				throw new IllegalArgumentException("'" + filter + "' is a subscription of State Store itself");
			}
		}
		Arrays.stream(filters).forEach(this.subscriptions::remove);
		MqttProperties properties = args.properties();
		return shared(link.client()
			.unsubscribe(filters, args.userContext(), wrap(args.first(MqttActionListener.class)), properties));
	}

	private MqttActionListener wrap(@Nullable MqttActionListener listener) {
		return new UserActionListener(listener, this.mailbox, () -> {
		});
	}

	private IMqttToken shared(IMqttToken token) {
		return SharedToken.of(token, this::wrap);
	}

	/** Says what Paho and the adapters of Spring Integration keep to themselves. */
	private record Granted(MqttSubscription[] requested, MqttActionListener next) implements MqttActionListener {

		@Override
		public void onSuccess(IMqttToken token) {
			int[] codes = token.getReasonCodes();
			for (int i = 0; codes != null && i < codes.length && i < this.requested.length; i++) {
				if (ReasonCode.isFailure(codes[i])) {
					logger.warn("The broker refused the subscription to '{}': {}", this.requested[i].getTopic(),
							ReasonCode.describe(codes[i]));
				}
			}
			this.next.onSuccess(token);
		}

		@Override
		public void onFailure(IMqttToken token, Throwable exception) {
			this.next.onFailure(token, exception);
		}

	}

}
