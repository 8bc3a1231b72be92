package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.MqttConnection.SubscriptionListener;
import io.statestore.protocol.TopicFilter;
import io.statestore.time.Activity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscriptions of the client, requested on every connection. A connection is not used
 * before the broker has granted the required ones. The optional ones are requested once
 * the connection is in use, and the broker may refuse them.
 * <p>
 * Only a reason code of the broker counts as a refusal. If the connection is lost before
 * the answer, the next one requests the subscription again. Thread-safe.
 */
final class OwnSubscriptions {

	private static final Logger logger = LoggerFactory.getLogger(OwnSubscriptions.class);

	private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

	/** Prevents reports of answers after the end of their connection. */
	private final ReentrantLock lock = new ReentrantLock();

	private final ConnectionOptions options;

	private final ScheduledExecutorService timer;

	/** The subscriptions that the broker has not answered. */
	private final Activity requested;

	/** The link in use. */
	private @Nullable Link link;

	OwnSubscriptions(ConnectionOptions options, ClientResources resources) {
		this.options = options;
		this.timer = resources.networkTimer();
		this.requested = resources.time().activity("unanswered subscriptions of client '" + options.clientId() + '\'');
	}

	/**
	 * Subscribes now and on every later connection.
	 * @param required whether a connection must not be used without the subscription
	 * @throws IllegalArgumentException if the topic filter is invalid
	 */
	void add(String filter, boolean required, SubscriptionListener listener) {
		String problem = TopicFilter.problem(filter);
		if (problem != null) {
			throw new IllegalArgumentException("'" + filter + "' is not an MQTT topic filter: " + problem);
		}
		Subscription subscription = new Subscription(filter, required, listener);
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

	/**
	 * Requests the required subscriptions.
	 * @return a future that completes when all are granted, and fails if one is refused
	 */
	CompletableFuture<Void> prepare(Link link) {
		return CompletableFuture.allOf(this.subscriptions.stream()
			.filter((subscription) -> subscription.required)
			.map((subscription) -> link.inFlight().subscribe(subscription.filter).thenAccept((codes) -> {
				StateStoreException refusal = refusal(subscription, codes);
				if (refusal != null) {
					throw refusal;
				}
				subscription.answeredBy = link;
			}))
			.toArray(CompletableFuture[]::new));
	}

	/** Starts to use a link, and requests the other subscriptions. */
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

	/** Ends the use of the link. No answer is reported after this returns. */
	void disconnected() {
		this.lock.lock();
		try {
			this.link = null;
			this.subscriptions.forEach(this::noLongerRequested);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Requests a subscription, and again if there is no answer, later each time. The
	 * connection is kept, because it serves calls, and a slow broker would not answer
	 * sooner on a new one. A repeated SUBSCRIBE is harmless (MQTT 5 section 3.8.4).
	 */
	private void request(Link link, Subscription subscription, int attempt) {
		if (subscription.repetition == null) {
			this.requested.add(1);
		}
		Duration timeout = this.options.requestTimeout().multipliedBy(attempt);
		subscription.repetition = this.timer.schedule(() -> repeat(link, subscription, attempt + 1), timeout.toNanos(),
				TimeUnit.NANOSECONDS);
		link.inFlight().subscribe(subscription.filter).thenAccept((codes) -> answered(link, subscription, codes));
	}

	private void repeat(Link link, Subscription subscription, int attempt) {
		this.lock.lock();
		try {
			if (this.link == link && subscription.answeredBy != link) {
				logger.warn(
						"The broker at {} has not answered the subscription to '{}'; requesting it again, attempt {}",
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
			notifyListener(subscription, refusal(subscription, codes));
		}
		catch (RuntimeException | Error ex) {
			// On a network thread, an exception would end the connection.
			logger.error("The listener of the subscription to '{}' failed", subscription.filter, ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void notifyListener(Subscription subscription, @Nullable StateStoreException refusal) {
		try {
			if (refusal != null) {
				subscription.listener.refused(refusal);
			}
			else {
				subscription.listener.granted();
			}
		}
		finally {
			// Last, because the listener may send requests.
			noLongerRequested(subscription);
		}
	}

	/** Ends the wait for the answer to a subscription. */
	private void noLongerRequested(Subscription subscription) {
		Future<?> repetition = subscription.repetition;
		if (repetition != null) {
			repetition.cancel(false);
			subscription.repetition = null;
			this.requested.add(-1);
		}
	}

	private @Nullable StateStoreException refusal(Subscription subscription, int[] codes) {
		int failure = ReasonCode.firstFailure(codes);
		return (failure == 0) ? null : new StateStoreException("The broker at " + this.options.url()
				+ " refused to let client '" + this.options.clientId() + "' subscribe to '" + subscription.filter
				+ "': " + ReasonCode.describe(failure)
				+ ". Allow it in the rules of the broker, and check statestore.client-id and statestore.username");
	}

	/** Passes a message to the listeners of the subscriptions that match its topic. */
	void dispatch(LinkMessage message) {
		for (Subscription subscription : this.subscriptions) {
			// Most messages are replies, whose filter has no wildcard.
			if (subscription.filter.equals(message.topic())
					|| TopicFilter.matches(subscription.filter, message.topic())) {
				subscription.listener.messageArrived(message);
			}
		}
	}

	/** A subscription. Once a link is in use, the lock guards its state. */
	private static final class Subscription {

		private final String filter;

		private final boolean required;

		private final SubscriptionListener listener;

		/** Latest link on which the broker has granted or refused the subscription. */
		private volatile @Nullable Link answeredBy;

		/** Scheduled repetition of the request, {@code null} if there is none. */
		private @Nullable Future<?> repetition;

		Subscription(String filter, boolean required, SubscriptionListener listener) {
			this.filter = filter;
			this.required = required;
			this.listener = listener;
		}

	}

}
