package io.statestore.client.mqtt.integration;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.InFlight;
import io.statestore.client.mqtt.internal.InFlight.NotPermittedException;
import io.statestore.client.mqtt.internal.Link;
import io.statestore.client.mqtt.internal.Link.Submission;
import org.eclipse.paho.mqttv5.client.DisconnectedBufferOptions;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttPublish;
import org.eclipse.paho.mqttv5.common.util.MqttTopicValidator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client for adapters, which is the same for all connections. It does not connect,
 * but passes each call to the client of the current connection. It rejects calls that
 * concern the lifecycle of the connection, which {@link StateStoreClientManager}
 * controls.
 */
final class AdapterClient extends MqttAsyncClient {

	/** Address that has no effect, because this client does not connect. */
	private static final String UNUSED_ADDRESS = "tcp://127.0.0.1:1";

	/** Maximum time for which the end of a subscription waits for its messages. */
	private static final Duration HAND_OVER_TIMEOUT = Duration.ofSeconds(2);

	private static final Logger logger = LoggerFactory.getLogger(AdapterClient.class);

	private final ConnectionOptions options;

	private final AdapterConnection connection;

	private final InFlight inFlight;

	private final AdapterSubscriptions subscriptions;

	/** Delivers received messages, in order. */
	private final Executor deliveries;

	/** Runs the listeners of outcomes. */
	private final Executor executor;

	/** The latest hand-over that was not awaited to its end. */
	private volatile CompletableFuture<Void> late = CompletableFuture.completedFuture(null);

	AdapterClient(ConnectionOptions options, AdapterConnection connection, InFlight inFlight,
			AdapterSubscriptions subscriptions, Executor deliveries, Executor executor) throws MqttException {
		super(UNUSED_ADDRESS, options.clientId(), new MemoryPersistence());
		this.options = options;
		this.connection = connection;
		this.inFlight = inFlight;
		this.subscriptions = subscriptions;
		this.deliveries = deliveries;
		this.executor = executor;
	}

	/**
	 * Waits for the connection, and then fails as Paho does if there is one already.
	 */
	@Override
	public IMqttToken connect(@Nullable MqttConnectionOptions ignored, @Nullable Object userContext,
			@Nullable MqttActionListener callback) throws MqttException {
		boolean connected = this.connection.await(this.options.requestTimeout());
		throw new MqttException(connected ? MqttClientException.REASON_CODE_CLIENT_CONNECTED
				: MqttClientException.REASON_CODE_CLIENT_TIMEOUT);
	}

	/** Does nothing, because the client manager reconnects. */
	@Override
	public void reconnect() {
	}

	@Override
	public boolean isConnected() {
		return this.connection.link() != null;
	}

	@Override
	public String getServerURI() {
		return this.options.url();
	}

	@Override
	public String getCurrentServerURI() {
		return this.options.url();
	}

	@Override
	public IMqttToken publish(String topic, MqttMessage message, @Nullable Object userContext,
			@Nullable MqttActionListener callback) throws MqttException {
		if (message.getProperties() == null) {
			message.setProperties(new MqttProperties());
		}
		MqttTopicValidator.validate(topic, false, true);
		// Fails if the properties cannot be encoded.
		new MqttPublish(topic, message, message.getProperties()).getHeader();
		AdapterToken token = token(new String[] { topic }, message, userContext, callback);
		try {
			requireConnection(this.inFlight.publish(AdapterMessages.toLink(topic, message), token,
					this.options.requestTimeout()));
		}
		catch (NotPermittedException ex) {
			throw new MqttException(ex.reasonCode(),
					new IllegalArgumentException("The message to '" + topic + "' " + ex.getMessage()));
		}
		catch (TimeoutException ex) {
			throw new MqttException(MqttClientException.REASON_CODE_MAX_INFLIGHT);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MqttException(ex);
		}
		return token;
	}

	private static void requireConnection(Submission submission) throws MqttException {
		if (submission != Submission.ACCEPTED) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
	}

	@Override
	public IMqttToken subscribe(MqttSubscription[] subscriptions, @Nullable Object userContext,
			@Nullable MqttActionListener callback, MqttProperties properties) throws MqttException {
		return subscribe(subscriptions, userContext, callback, (IMqttMessageListener) null, properties);
	}

	@Override
	public IMqttToken subscribe(MqttSubscription[] subscriptions, @Nullable Object userContext,
			@Nullable MqttActionListener callback, @Nullable IMqttMessageListener listener, MqttProperties properties)
			throws MqttException {
		IMqttMessageListener[] listeners = new IMqttMessageListener[subscriptions.length];
		Arrays.fill(listeners, listener);
		return subscribe(subscriptions, userContext, callback, listeners, properties);
	}

	// Synchronized so that a suspended subscription does not end after it was replaced.
	@Override
	public synchronized IMqttToken subscribe(MqttSubscription[] requested, @Nullable Object userContext,
			@Nullable MqttActionListener callback, @Nullable IMqttMessageListener @Nullable [] listeners,
			MqttProperties properties) throws MqttException {
		Link link = requiredLink();
		String[] filters = Arrays.stream(requested).map(MqttSubscription::getTopic).toArray(String[]::new);
		for (String filter : filters) {
			MqttTopicValidator.validate(filter, true, true);
		}
		// Before the request, because retained messages may arrive ahead of its answer.
		int identifier = this.subscriptions.add(requested,
				(listeners != null) ? listeners : new IMqttMessageListener[requested.length], properties,
				link.limits().subscriptionIdentifiersAvailable());
		AdapterToken token = token(filters, null, userContext, callback);
		token.answer().thenAccept((codes) -> logRefusals(filters, codes));
		MqttMessageBuilders.SubscribeBuilder subscribe = MqttMessageBuilders.subscribe()
			.properties(AdapterMessages.requestProperties(properties, identifier));
		for (MqttSubscription subscription : requested) {
			subscribe.addSubscription(subscription.getTopic(), options(subscription));
		}
		requireConnection(this.inFlight.request((packetId) -> subscribe.messageId(packetId).build(), token));
		// The executor may itself wait for this subscription.
		CompletableFuture.delayedExecutor(this.options.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
			.execute(() -> requireAnswer(link, token));
		return token;
	}

	/** Logs refused subscriptions, which the adapters of Spring Integration ignore. */
	private static void logRefusals(String[] filters, int[] codes) {
		for (int i = 0; i < Math.min(filters.length, codes.length); i++) {
			String refusal = InFlight.refusal(codes[i]);
			if (refusal != null) {
				logger.warn("The broker refused the subscription to '{}': {}", filters[i], refusal);
			}
		}
	}

	/**
	 * Ends a connection on which the broker has not answered a subscription. The adapters
	 * do not repeat the request, but subscribe again after each connect.
	 */
	private void requireAnswer(Link link, AdapterToken token) {
		if (!token.isComplete()) {
			link.abort("the broker has not answered the subscription to '" + token.getTopics()[0] + "' for "
					+ this.options.requestTimeout().toMillis() / 1000.0 + " s");
		}
	}

	/**
	 * Returns the options of a subscription, with QoS 1 at most. The link does not
	 * support the handshake of received messages with QoS 2.
	 */
	private static MqttSubscriptionOption options(MqttSubscription requested) {
		if (requested.getQos() > 1) {
			logger.info("Subscribing to '{}' with QoS 1 instead of {}, because messages of QoS 2 are not supported",
					requested.getTopic(), requested.getQos());
		}
		return new MqttSubscriptionOption(MqttQoS.valueOf(Math.min(1, requested.getQos())), requested.isNoLocal(),
				requested.isRetainAsPublished(), RetainedHandlingPolicy.valueOf(requested.getRetainHandling()));
	}

	@Override
	public IMqttToken unsubscribe(String[] filters, @Nullable Object userContext, @Nullable MqttActionListener callback,
			MqttProperties properties) throws MqttException {
		Runnable removal = this.subscriptions.removal(filters);
		AdapterToken request = token(filters, null, null, null);
		AdapterToken token = token(filters, null, userContext, callback);
		MqttMessageBuilders.UnsubscribeBuilder unsubscribe = MqttMessageBuilders.unsubscribe()
			.properties(AdapterMessages.requestProperties(properties, 0));
		Arrays.stream(filters).forEach(unsubscribe::addTopicFilter);
		requireConnection(this.inFlight.request((packetId) -> {
			token.assigned(packetId);
			return unsubscribe.messageId(packetId).build();
		}, request));
		CompletableFuture<int[]> answer = request.answer();
		// Messages that have arrived are handed to their flow before the adapter stops.
		CompletableFuture<Void> handOver = answer.thenAcceptAsync((codes) -> {
			removal.run();
			token.acknowledged(codes);
		}, this.deliveries);
		// A flow may be blocked, or stop its own adapter. Further adapters do not wait
		// for it again.
		long timeout = this.late.isDone() ? HAND_OVER_TIMEOUT.toMillis() : 0;
		answer.thenAcceptAsync((codes) -> {
			this.late = handOver;
			token.acknowledged(codes);
		}, CompletableFuture.delayedExecutor(timeout, TimeUnit.MILLISECONDS));
		answer.whenComplete((codes, failure) -> {
			if (failure != null) {
				token.lost(failure);
			}
		});
		return token;
	}

	/** Ends the subscriptions of adapters that have stopped without a connection. */
	synchronized void unsubscribeSuspended() {
		String[] filters = this.subscriptions.suspended();
		try {
			if (filters.length > 0) {
				unsubscribe(filters, null, null, new MqttProperties());
			}
		}
		catch (MqttException ex) {
			logger.debug("Failed to end subscriptions; the next connection tries again", ex);
		}
	}

	@Override
	public void messageArrivedComplete(int messageId, int qos) {
		this.connection.acknowledge(messageId);
	}

	@Override
	public IMqttToken[] getPendingTokens() {
		return this.inFlight.publishes().toArray(IMqttToken[]::new);
	}

	/**
	 * Waits until the publishes in flight have ended.
	 * @param millis maximum time to wait in milliseconds
	 */
	void awaitPublishes(long millis) {
		CompletableFuture<?>[] answers = this.inFlight.publishes()
			.stream()
			.map((publish) -> ((AdapterToken) publish).answer())
			.toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(answers).get(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// The end of the connection fails those that are left.
		}
	}

	@Override
	public int getInFlightMessageCount() {
		return this.inFlight.publishes().size();
	}

	@Override
	public int getBufferedMessageCount() {
		return 0;
	}

	private Link requiredLink() throws MqttException {
		Link link = this.connection.link();
		if (link == null) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		return link;
	}

	private AdapterToken token(String[] topics, @Nullable MqttMessage message, @Nullable Object userContext,
			@Nullable MqttActionListener listener) {
		return new AdapterToken(this, topics, message, userContext, listener, this.executor);
	}

	@Override
	public void setManualAcks(boolean manualAcks) {
		throw rejected("setManualAcks");
	}

	@Override
	public void setCallback(MqttCallback callback) {
		throw rejected("setCallback");
	}

	@Override
	public void setClientId(String clientId) {
		throw rejected("setClientId");
	}

	@Override
	public void setBufferOpts(DisconnectedBufferOptions options) {
		throw rejected("setBufferOpts");
	}

	@Override
	public IMqttToken disconnect(long quiesceTimeout, @Nullable Object userContext,
			@Nullable MqttActionListener callback, int reasonCode, MqttProperties properties) {
		throw rejected("disconnect");
	}

	@Override
	public void disconnectForcibly(long quiesceTimeout, long disconnectTimeout, int reasonCode,
			MqttProperties properties) {
		throw rejected("disconnectForcibly");
	}

	@Override
	public void disconnectForcibly(long quiesceTimeout, long disconnectTimeout, boolean sendDisconnectPacket) {
		throw rejected("disconnectForcibly");
	}

	@Override
	public void close(boolean force) {
		throw rejected("close");
	}

	private static UnsupportedOperationException rejected(String method) {
		return new UnsupportedOperationException("'" + method + "' is not available on the client of a "
				+ "StateStoreClientManager. Configure, start, and stop the manager instead");
	}

}
