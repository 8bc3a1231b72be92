package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.StateStoreException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscriptions of the state store client itself, repeated on every connection. A
 * connection is not used before the required ones are granted. The optional ones are
 * requested once it is used, and may be refused.
 * <p>
 * Only a reason code of the broker is a refusal. A connection that is lost first leaves
 * the subscription to the next one.
 */
final class OwnSubscriptions {

	private static final Logger logger = LoggerFactory.getLogger(OwnSubscriptions.class);

	private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

	/** Prevents notifications about a connection after its end. */
	private final ReentrantLock lock = new ReentrantLock();

	private final ConnectionOptions options;

	private final ScheduledExecutorService timer;

	/** The connection in use. */
	private @Nullable Link link;

	OwnSubscriptions(ConnectionOptions options, ScheduledExecutorService timer) {
		this.options = options;
		this.timer = timer;
	}

	/**
	 * Subscribe now and on every connection to come.
	 * @throws IllegalArgumentException if the filter is none
	 */
	void add(String filter, boolean required, SubscriptionListener listener) {
		Subscription subscription = new Subscription(TopicFilter.valid(filter), required, listener);
		this.lock.lock();
		try {
			this.subscriptions.add(subscription);
			if (this.link != null) {
				request(this.link, subscription, 1);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Subscribe to what a connection must have; completed when all of it is granted. */
	CompletableFuture<Void> prepare(Link link) {
		return CompletableFuture.allOf(this.subscriptions.stream()
			.filter((subscription) -> subscription.required)
			.map((subscription) -> link.subscribe(subscription.filter.text()).thenAccept((codes) -> {
				StateStoreException refusal = refusal(subscription, codes);
				if (refusal != null) {
					throw refusal;
				}
				subscription.answeredBy = link;
			}))
			.toArray(CompletableFuture[]::new));
	}

	/** The link is in use from now on. */
	void connected(Link link) {
		this.lock.lock();
		try {
			this.link = link;
			this.subscriptions.stream()
				.filter((subscription) -> subscription.answeredBy != link)
				.forEach((subscription) -> request(link, subscription, 1));
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Ends all notifications of answers before it returns. */
	void disconnected() {
		this.lock.lock();
		try {
			this.link = null;
			this.subscriptions.forEach(Subscription::forgetRepetition);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Without an answer it is asked for again, later each time. The connection stays: it
	 * serves calls, to a new one a broker that is too slow would answer no sooner, and
	 * asking twice is harmless (MQTT 5 section 3.8.4).
	 */
	private void request(Link link, Subscription subscription, int attempt) {
		Duration patience = this.options.requestTimeout().multipliedBy(attempt);
		subscription.repetition = this.timer.schedule(() -> repeat(link, subscription, attempt + 1), patience.toNanos(),
				TimeUnit.NANOSECONDS);
		link.subscribe(subscription.filter.text()).thenAccept((codes) -> answered(link, subscription, codes));
	}

	private void repeat(Link link, Subscription subscription, int attempt) {
		this.lock.lock();
		try {
			if (this.link == link && subscription.answeredBy != link) {
				logger.warn("The broker at {} has not answered the subscription to '{}'; it is asked again, attempt {}",
						this.options.url(), subscription.filter, attempt);
				request(link, subscription, attempt);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void answered(Link link, Subscription subscription, int[] codes) {
		this.lock.lock();
		try {
			if (this.link != link || subscription.answeredBy == link) {
				return;
			}
			subscription.answeredBy = link;
			subscription.forgetRepetition();
			StateStoreException refusal = refusal(subscription, codes);
			if (refusal != null) {
				subscription.listener.refused(refusal);
			}
			else {
				subscription.listener.granted();
			}
		}
		catch (RuntimeException | Error ex) {
			// Not to the network thread, which would end the connection.
			logger.error("The listener of '{}' failed", subscription.filter, ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable StateStoreException refusal(Subscription subscription, int[] codes) {
		int failure = ReasonCode.firstFailure(codes);
		return (failure == 0) ? null : new StateStoreException("The broker at " + this.options.url()
				+ " refused client '" + this.options.clientId() + "' the subscription to '" + subscription.filter
				+ "': " + ReasonCode.describe(failure)
				+ ". Allow it in the rules of the broker, and check statestore.client-id and statestore.username");
	}

	/** Hands a message to the listeners of the subscriptions that match its topic. */
	void dispatch(String topic, MqttMessage message) {
		for (Subscription subscription : this.subscriptions) {
			if (subscription.filter.matches(topic)) {
				subscription.listener.messageArrived(topic, message);
			}
		}
	}

	/** Its state is guarded by the lock once there is a connection in use. */
	private static final class Subscription {

		private final TopicFilter filter;

		private final boolean required;

		private final SubscriptionListener listener;

		/** The latest link on which the broker has granted or refused it. */
		private volatile @Nullable Link answeredBy;

		private @Nullable Future<?> repetition;

		Subscription(TopicFilter filter, boolean required, SubscriptionListener listener) {
			this.filter = filter;
			this.required = required;
			this.listener = listener;
		}

		void forgetRepetition() {
			Future<?> repetition = this.repetition;
			if (repetition != null) {
				repetition.cancel(false);
				this.repetition = null;
			}
		}

	}

}
