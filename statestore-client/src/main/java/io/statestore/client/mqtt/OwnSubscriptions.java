package io.statestore.client.mqtt;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.StateStoreException;
import org.eclipse.paho.mqttv5.common.MqttMessage;

/** What the state store client itself subscribes to, on every connection anew. */
final class OwnSubscriptions {

	private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

	private final ConnectionOptions options;

	OwnSubscriptions(ConnectionOptions options) {
		this.options = options;
	}

	Subscription add(String filter, MessageSink sink) {
		Subscription subscription = new Subscription(new TopicFilter(filter), sink, new CompletableFuture<>());
		this.subscriptions.add(subscription);
		return subscription;
	}

	/** Subscribe to everything; completed when the broker has granted all of it. */
	CompletableFuture<Void> subscribe(Link link) {
		return CompletableFuture.allOf(this.subscriptions.stream()
			.map((subscription) -> subscribe(link, subscription))
			.toArray(CompletableFuture[]::new));
	}

	CompletableFuture<Void> subscribe(Link link, Subscription subscription) {
		String filter = subscription.filter().text();
		return link.subscribe(filter).thenAccept((codes) -> {
			int failure = ReasonCode.firstFailure(codes);
			if (failure != 0) {
				throw new StateStoreException("The broker at " + this.options.url() + " refused client '"
						+ this.options.clientId() + "' the subscription to '" + filter + "': "
						+ ReasonCode.describe(failure) + ". Allow it there");
			}
		}).whenComplete((nothing, failure) -> {
			if (failure == null) {
				subscription.granted().complete(null);
			}
		});
	}

	/** Give up a subscription that was not granted. */
	void refused(Subscription subscription, Throwable failure) {
		this.subscriptions.remove(subscription);
		subscription.granted()
			.completeExceptionally((failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure);
	}

	/** What was added while a connection was being prepared. */
	List<Subscription> notGranted() {
		return this.subscriptions.stream().filter((subscription) -> !subscription.granted().isDone()).toList();
	}

	boolean contains(String filter) {
		return this.subscriptions.stream().anyMatch((subscription) -> subscription.filter().text().equals(filter));
	}

	/** Hand over a message; whether it was for one of these. */
	boolean dispatch(String topic, MqttMessage message) {
		boolean matched = false;
		for (Subscription subscription : this.subscriptions) {
			if (subscription.filter().matches(topic)) {
				matched = true;
				subscription.sink().messageArrived(topic, message);
			}
		}
		return matched;
	}

	record Subscription(TopicFilter filter, MessageSink sink, CompletableFuture<Void> granted) {
	}

}
