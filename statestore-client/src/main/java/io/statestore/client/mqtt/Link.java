package io.statestore.client.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Logger;

import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the broker, from its first packet to its end: a Paho client that is
 * never connected twice, so that Paho never sends anything again, with a clean session,
 * its own socket and its own daemon threads.
 */
final class Link {

	/** Without effect: {@link MqttSocket} knows where to connect to. */
	private static final String UNUSED_ADDRESS = "tcp://127.0.0.1:1";

	private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<String> lost = new CompletableFuture<>();

	private final Traffic traffic = new Traffic();

	private final LinkThreads threads;

	/** Held here, because loggers that nobody holds are forgotten with their filters. */
	private final List<Logger> pahoLoggers = PahoLogFilter.install();

	private final MqttSocket socket;

	private final MqttAsyncClient client;

	private volatile @Nullable Throwable threadFailure;

	private volatile int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

	private Link(ConnectionOptions options, MessageSink sink) throws MqttException {
		this.threads = new LinkThreads(options.clientId(), this::threadFailed);
		this.socket = new MqttSocket(options, this.traffic, this.threads);
		this.client = new MqttAsyncClient(UNUSED_ADDRESS, options.clientId(), new MemoryPersistence(), null,
				this.threads);
		this.client.setCallback(new LinkCallback(sink, this.lost));
	}

	/**
	 * Paho has lost a thread without noticing, and ends the others if told. Whoever waits
	 * for this link is told last: closed at the same time, Paho would end none.
	 */
	private void threadFailed(Throwable failure) {
		this.threadFailure = failure;
		this.socket.abort();
		try {
			this.client.disconnectForcibly(0, 0, false);
		}
		catch (MqttException | RuntimeException ex) {
			// It was closed already.
		}
		finally {
			this.accepted.completeExceptionally(failure);
			this.lost.complete("the MQTT client failed: " + Failures.describe(failure));
		}
	}

	/**
	 * Begin to connect.
	 * @param sink gets every message
	 * @return a link to wait for with {@link #accepted()} and to {@link #close()}
	 */
	static Link open(ConnectionOptions options, MessageSink sink) throws MqttException {
		Link link = new Link(options, sink);
		try {
			link.client.connect(pahoOptions(options, link.socket), null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					link.connected(token.getResponseProperties());
				}

				@Override
				public void onFailure(IMqttToken token, Throwable exception) {
					Throwable threadFailure = link.threadFailure;
					link.accepted.completeExceptionally((threadFailure != null) ? threadFailure : exception);
				}

			});
			return link;
		}
		catch (MqttException | RuntimeException | Error ex) {
			link.close();
			throw ex;
		}
	}

	private static MqttConnectionOptions pahoOptions(ConnectionOptions options, MqttSocket socket) {
		MqttConnectionOptions paho = new MqttConnectionOptions();
		paho.setAutomaticReconnect(false);
		paho.setCleanStart(true);
		paho.setSessionExpiryInterval(0L);
		paho.setKeepAliveInterval((int) options.keepAlive().toSeconds());
		paho.setUseSubscriptionIdentifiers(false);
		paho.setSocketFactory(socket.asFactory());
		if (options.username() != null) {
			paho.setUserName(options.username());
		}
		if (options.password() != null) {
			paho.setPassword(options.password().getBytes(StandardCharsets.UTF_8));
		}
		EnhancedAuthentication authentication = options.authentication();
		if (authentication != null) {
			paho.setAuthMethod(authentication.method());
			paho.setAuthData(authentication.data().get());
		}
		return paho;
	}

	private void connected(@Nullable MqttProperties properties) {
		if (properties != null && properties.getReceiveMaximum() != null) {
			this.receiveMaximum = properties.getReceiveMaximum();
		}
		this.accepted.complete(null);
	}

	/** Completed when the broker has accepted the connection, or with why not. */
	CompletableFuture<Void> accepted() {
		return this.accepted;
	}

	/** Completed with the cause when an accepted connection breaks. */
	CompletableFuture<String> lost() {
		return this.lost;
	}

	/** End a connection that is of no use any more. */
	void abort(String cause) {
		this.lost.complete(cause);
		this.socket.abort();
	}

	/** How many publishes the broker takes before it has acknowledged any. */
	int receiveMaximum() {
		return this.receiveMaximum;
	}

	/** The largest packet the broker accepts, {@code null} without a limit. */
	@Nullable Long maximumPacketSize() {
		return this.socket.maximumPacketSize();
	}

	/** What has moved on this connection. */
	Traffic traffic() {
		return this.traffic;
	}

	MqttAsyncClient client() {
		return this.client;
	}

	/**
	 * Publish; called by one thread at a time, with a permit of {@link FlowControl}. The
	 * listener runs on a network thread.
	 * @throws MqttException if Paho did not take the message
	 */
	IMqttToken publish(String topic, MqttMessage message, @Nullable Object context, MqttActionListener listener)
			throws MqttException {
		this.traffic.publishGiven();
		try {
			return this.client.publish(topic, message, context, listener);
		}
		catch (MqttException | RuntimeException ex) {
			this.traffic.publishRefused();
			throw ex;
		}
	}

	/**
	 * Subscribe. Listeners stay with us: an exception in a listener of Paho's own costs
	 * the connection, and its overloads without an array of listeners fail.
	 */
	IMqttToken subscribe(MqttSubscription[] subscriptions, @Nullable Object context,
			@Nullable MqttActionListener listener, MqttProperties properties) throws MqttException {
		return this.client.subscribe(subscriptions, context, listener, (IMqttMessageListener[]) null, properties);
	}

	/** Subscribe with QoS 1, completed with the reason codes of the broker. */
	CompletableFuture<int[]> subscribe(String... filters) {
		MqttSubscription[] subscriptions = new MqttSubscription[filters.length];
		for (int i = 0; i < filters.length; i++) {
			subscriptions[i] = new MqttSubscription(filters[i], 1);
		}
		CompletableFuture<int[]> result = new CompletableFuture<>();
		try {
			subscribe(subscriptions, null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					result.complete(token.getReasonCodes());
				}

				@Override
				public void onFailure(IMqttToken token, Throwable exception) {
					result.completeExceptionally(exception);
				}

			}, new MqttProperties());
		}
		catch (MqttException | RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	/** Send DISCONNECT, then close. */
	void disconnect(Duration timeout) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// On another thread, because this call of Paho always sleeps for 100 ms.
		this.threads.execute(() -> {
			try {
				this.client.disconnect(0, null, new MqttActionListener() {

					@Override
					public void onSuccess(IMqttToken token) {
						done.complete(null);
					}

					@Override
					public void onFailure(IMqttToken token, Throwable exception) {
						done.complete(null);
					}

				}, 0, new MqttProperties());
			}
			catch (MqttException ex) {
				done.complete(null);
			}
		});
		try {
			done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Then without saying goodbye.
		}
		finally {
			// Paho never ends its threads when closed while it disconnects.
			this.socket.abort();
			done.thenRun(this::close);
		}
	}

	/**
	 * Let go of everything, in whatever state. The end of its socket ends Paho's threads;
	 * they are not interrupted, because then some would wait for others for ever.
	 */
	void close() {
		this.socket.abort();
		try {
			this.client.close();
		}
		catch (MqttException ex) {
			// Paho is still connecting and fails with the socket.
		}
		this.threads.shutdown();
	}

}
