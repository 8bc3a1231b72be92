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
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * A connection by Paho: a client that is never connected twice, with its own socket and
 * its own daemon threads.
 */
final class PahoLink implements Link {

	/** Without effect: {@link MqttSocket} knows where to connect to. */
	private static final String UNUSED_ADDRESS = "tcp://127.0.0.1:1";

	private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<String> lost = new CompletableFuture<>();

	private final Traffic traffic = new Traffic();

	private final LinkThreads threads;

	/** Held here, because unreferenced loggers are collected with their filters. */
	private final List<Logger> pahoLoggers = PahoLogFilter.install();

	private final MqttSocket socket;

	private final MqttAsyncClient client;

	private final LinkSession session;

	private volatile @Nullable Throwable threadFailure;

	private volatile int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

	private PahoLink(ConnectionOptions options, LinkSession session, MessageSink sink) throws MqttException {
		this.session = session;
		this.threads = new LinkThreads(options.clientId(), this::threadFailed);
		this.socket = new MqttSocket(options, this.traffic, this.threads);
		this.client = new MqttAsyncClient(UNUSED_ADDRESS, options.clientId(), session.persistence(), null,
				this.threads);
		this.client.setCallback(new LinkCallback(sink, this.lost));
		session.opening(this);
	}

	/**
	 * Paho has lost a thread without noticing, and ends its other threads when closed.
	 * The supervisor of this link is notified last: if it closed the client at the same
	 * time, no thread would end.
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

	/** See {@link Link#open}. */
	static PahoLink open(ConnectionOptions options, MessageSink sink) throws MqttException {
		return open(options, LinkSession.NONE, sink);
	}

	/** As above, with a session that may outlive the connection. */
	static PahoLink open(ConnectionOptions options, LinkSession session, MessageSink sink) throws MqttException {
		PahoLink link = new PahoLink(options, session, sink);
		try {
			link.client.connect(link.pahoOptions(options), null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					link.connected(token);
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

	/** Returns a link of transport {@link Transport#PAHO} as what it is. */
	static PahoLink of(Link link) {
		return (PahoLink) link;
	}

	private MqttConnectionOptions pahoOptions(ConnectionOptions options) {
		MqttConnectionOptions paho = new MqttConnectionOptions();
		paho.setAutomaticReconnect(false);
		paho.setCleanStart(true);
		paho.setSessionExpiryInterval(0L);
		paho.setKeepAliveInterval((int) options.keepAlive().toSeconds());
		paho.setUseSubscriptionIdentifiers(false);
		paho.setSocketFactory(this.socket.asFactory());
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
		this.session.configure(paho);
		return paho;
	}

	private void connected(IMqttToken token) {
		MqttProperties properties = token.getResponseProperties();
		if (properties != null && properties.getReceiveMaximum() != null) {
			this.receiveMaximum = properties.getReceiveMaximum();
		}
		this.session.accepted(token);
		this.accepted.complete(null);
	}

	@Override
	public CompletableFuture<Void> accepted() {
		return this.accepted;
	}

	@Override
	public CompletableFuture<String> lost() {
		return this.lost;
	}

	@Override
	public void abort(String cause) {
		this.lost.complete(cause);
		this.socket.abort();
	}

	@Override
	public int receiveMaximum() {
		return this.receiveMaximum;
	}

	@Override
	public @Nullable Long maximumPacketSize() {
		return this.socket.maximumPacketSize();
	}

	@Override
	public boolean lookIsWithinPacket() {
		return this.traffic.lookIsWithinPacket();
	}

	/** What has moved on this connection. */
	Traffic traffic() {
		return this.traffic;
	}

	MqttAsyncClient client() {
		return this.client;
	}

	@Override
	public void publish(String topic, MqttMessage message, Acknowledgement acknowledgement) throws MqttException {
		publish(topic, message, null, new MqttActionListener() {

			@Override
			public void onSuccess(IMqttToken token) {
				int[] codes = token.getReasonCodes();
				acknowledgement.acknowledged((codes != null && codes.length > 0) ? codes[0] : 0);
			}

			@Override
			public void onFailure(IMqttToken token, Throwable exception) {
				// The connection is gone, and its end is told to all at once.
			}

		});
	}

	/** As above, with any QoS. The listener runs on a network thread. */
	IMqttToken publish(String topic, MqttMessage message, @Nullable Object context,
			@Nullable MqttActionListener listener) throws MqttException {
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

	@Override
	public CompletableFuture<int[]> subscribe(String filter) {
		MqttSubscription[] subscriptions = { new MqttSubscription(filter, 1) };
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

	@Override
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		MqttProperties properties = new MqttProperties();
		if (endSession) {
			properties.setSessionExpiryInterval(0L);
		}
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

				}, 0, properties);
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
	 * Closes all resources, in any state. The end of the socket ends Paho's threads. They
	 * are not interrupted, because some of them would then wait for each other forever.
	 */
	@Override
	public void close() {
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
