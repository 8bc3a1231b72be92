package io.statestore.client.mqtt.integration;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.PahoLink;
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
import org.eclipse.paho.mqttv5.common.packet.MqttReturnCode;
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

	private static final Logger logger = LoggerFactory.getLogger(AdapterClient.class);

	private final ConnectionOptions options;

	private final AdapterConnection connection;

	private final AdapterSubscriptions subscriptions;

	/** Runs the listeners of outcomes. */
	private final Executor executor;

	AdapterClient(ConnectionOptions options, AdapterConnection connection, AdapterSubscriptions subscriptions,
			Executor executor) throws MqttException {
		super(UNUSED_ADDRESS, options.clientId(), new MemoryPersistence());
		this.options = options;
		this.connection = connection;
		this.subscriptions = subscriptions;
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
		long deadline = System.nanoTime() + this.options.requestTimeout().toNanos();
		while (true) {
			PahoLink link = requiredLink();
			checkPacket(topic, message, link.maximumPacketSize());
			try {
				return token(link.publish(topic, message, userContext, wrap(callback)));
			}
			catch (MqttException ex) {
				awaitRoom(ex, deadline);
			}
		}
	}

	/**
	 * Waits before another attempt to publish. Paho fails when the maximum number of
	 * publishes is in flight.
	 * @throws MqttException if the failure has another cause or the deadline has passed
	 */
	private void awaitRoom(MqttException failure, long deadline) throws MqttException {
		int code = failure.getReasonCode();
		boolean full = code == MqttClientException.REASON_CODE_MAX_INFLIGHT
				|| code == MqttClientException.REASON_CODE_NO_MESSAGE_IDS_AVAILABLE;
		if (!full || System.nanoTime() - deadline > 0) {
			throw failure;
		}
		try {
			TimeUnit.MILLISECONDS.sleep(1);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MqttException(ex);
		}
	}

	/**
	 * Rejects a message that is too large for the broker. It would break the connection,
	 * and each later one.
	 */
	private static void checkPacket(String topic, MqttMessage message, @Nullable Long maximumSize)
			throws MqttException {
		MqttPublish packet = new MqttPublish(topic, message, message.getProperties());
		long size = (long) packet.getHeader().length + message.getPayload().length;
		if (maximumSize != null && size > maximumSize) {
			throw new MqttException(MqttReturnCode.RETURN_CODE_PACKET_TOO_LARGE,
					new IllegalArgumentException("The message to '" + topic + "' has " + size
							+ " bytes, but the broker accepts packets of at most " + maximumSize));
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

	@Override
	public IMqttToken subscribe(MqttSubscription[] requested, @Nullable Object userContext,
			@Nullable MqttActionListener callback, @Nullable IMqttMessageListener @Nullable [] listeners,
			MqttProperties properties) throws MqttException {
		PahoLink link = requiredLink();
		// Before the request, because retained messages may arrive ahead of its answer.
		MqttProperties identified = this.subscriptions.add(requested,
				(listeners != null) ? listeners : new IMqttMessageListener[requested.length], properties,
				this.connection.hasSubscriptionIdentifiers());
		MqttSubscription[] subscriptions = Arrays.stream(requested)
			.map(AdapterClient::withSupportedQos)
			.toArray(MqttSubscription[]::new);
		IMqttToken token = link.subscribe(subscriptions, userContext,
				new AdapterOutcomeListener(callback, this.executor), identified);
		// The executor may itself wait for this subscription.
		CompletableFuture.delayedExecutor(this.options.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
			.execute(() -> requireAnswer(link, token, subscriptions));
		return token(token);
	}

	/**
	 * Ends a connection on which the broker has not answered a subscription. The adapters
	 * do not repeat the request, but subscribe again after each connect.
	 */
	private void requireAnswer(PahoLink link, IMqttToken token, MqttSubscription[] subscriptions) {
		if (!token.isComplete()) {
			link.abort("the broker has not answered the subscription to '" + subscriptions[0].getTopic() + "' for "
					+ this.options.requestTimeout().toMillis() / 1000.0 + " s");
		}
	}

	/**
	 * Returns a subscription with QoS 1 at most. Paho completes the handshake of a
	 * message of QoS 2 on arrival. The message would be lost if the connection broke
	 * before its flow is done, and a slow flow would not slow down the broker.
	 */
	private static MqttSubscription withSupportedQos(MqttSubscription requested) {
		if (requested.getQos() > 1) {
			logger.info(
					"Subscribing to '{}' with QoS 1 instead of {}, because Paho acknowledges messages of QoS 2 before "
							+ "they are handled",
					requested.getTopic(), requested.getQos());
		}
		MqttSubscription result = new MqttSubscription(requested.getTopic(), Math.min(1, requested.getQos()));
		result.setNoLocal(requested.isNoLocal());
		result.setRetainAsPublished(requested.isRetainAsPublished());
		result.setRetainHandling(requested.getRetainHandling());
		return result;
	}

	@Override
	public IMqttToken unsubscribe(String[] filters, @Nullable Object userContext, @Nullable MqttActionListener callback,
			MqttProperties properties) throws MqttException {
		Arrays.stream(filters).forEach(this.subscriptions::remove);
		return token(requiredLink().unsubscribe(filters, userContext, wrap(callback), properties));
	}

	@Override
	public void messageArrivedComplete(int messageId, int qos) {
		this.connection.acknowledge(messageId);
	}

	@Override
	public IMqttToken[] getPendingTokens() {
		PahoLink link = this.connection.link();
		return (link != null) ? link.client().getPendingTokens() : new IMqttToken[0];
	}

	@Override
	public int getInFlightMessageCount() {
		PahoLink link = this.connection.link();
		return (link != null) ? link.client().getInFlightMessageCount() : 0;
	}

	@Override
	public int getBufferedMessageCount() {
		return 0;
	}

	private PahoLink requiredLink() throws MqttException {
		PahoLink link = this.connection.link();
		if (link == null) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		return link;
	}

	private IMqttToken token(IMqttToken token) {
		return new AdapterToken(token, this.executor);
	}

	private @Nullable MqttActionListener wrap(@Nullable MqttActionListener listener) {
		return (listener != null) ? new AdapterOutcomeListener(listener, this.executor) : null;
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
