package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.logging.Logger;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.protocol.UserProperties;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientPersistence;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * A link by Paho. Each link has its own Paho client, socket, and daemon threads, and the
 * client connects once.
 */
public final class PahoLink implements Link {

	/** Without effect: {@link MqttSocket} knows where to connect to. */
	private static final String UNUSED_ADDRESS = "tcp://127.0.0.1:1";

	/** Receive Maximum of a broker that names none (MQTT 5 section 3.2.2.3.3). */
	private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final Traffic traffic = new Traffic();

	private final LinkThreads threads;

	/** Held here, because unreferenced loggers are collected with their filters. */
	private final List<Logger> pahoLoggers = PahoLogFilter.install();

	private final MqttSocket socket;

	private final PahoClient client;

	private final PahoCallback callback;

	private final PahoSession session;

	private volatile @Nullable Throwable threadFailure;

	/** Method of the CONNECT, {@code null} for none. */
	private @Nullable String authenticationMethod;

	private volatile @Nullable String leader;

	private volatile int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

	private PahoLink(Attempt attempt, PahoSession session) throws MqttException {
		this.session = session;
		this.threads = new LinkThreads(attempt.threads(), this::threadFailed);
		this.socket = new MqttSocket(attempt, this.traffic, this.threads);
		this.client = new PahoClient(UNUSED_ADDRESS, attempt.options().clientId(), session.persistence(), this.threads);
		this.callback = new PahoCallback(session, this.lost, this::abort);
		this.client.setCallback(this.callback);
		session.opening(this, this.client);
	}

	/**
	 * Ends this link after one of Paho's threads has failed, which Paho does not notice.
	 * Its other threads end when the client closes. The supervisor of this link is
	 * notified last, because concurrent closing would leave all threads running.
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
			this.lost.complete(new IllegalStateException(Link.describe("the MQTT client failed", failure)));
		}
	}

	/** Starts to connect, with a session that ends with the connection. */
	static PahoLink open(Attempt attempt, Receiver receiver) {
		return openSession(attempt, (topic, message) -> receiver.messageArrived(PahoMessages.fromPaho(topic, message)));
	}

	/**
	 * Starts to connect, with a session that may outlive the connection.
	 * @param attempt host and options of the connection
	 * @param session receives every message
	 * @return a link, to wait for with {@link #accepted()} and to {@link #close()}
	 * @throws IllegalStateException if Paho cannot start
	 */
	public static PahoLink openSession(Attempt attempt, PahoSession session) {
		try {
			PahoLink link = new PahoLink(attempt, session);
			link.connect(attempt);
			return link;
		}
		catch (MqttException ex) {
			throw new IllegalStateException("Paho could not start", ex);
		}
	}

	private void connect(Attempt attempt) throws MqttException {
		try {
			this.client.connect(pahoOptions(attempt), null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					connected(token);
				}

				@Override
				public void onFailure(IMqttToken token, Throwable exception) {
					Throwable threadFailure = PahoLink.this.threadFailure;
					PahoLink.this.accepted.completeExceptionally((threadFailure != null) ? threadFailure
							: PahoFailures.translate(exception, serverReference()));
				}

			});
		}
		catch (MqttException | RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	private MqttConnectionOptions pahoOptions(Attempt attempt) {
		ConnectionOptions options = attempt.options();
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
		Supplier<String> password = options.password();
		if (password != null) {
			paho.setPassword(password.get().getBytes(StandardCharsets.UTF_8));
		}
		EnhancedAuthentication authentication = options.authentication();
		if (authentication != null) {
			this.authenticationMethod = authentication.method();
			paho.setAuthMethod(authentication.method());
			paho.setAuthData(attempt.authenticationData());
		}
		this.session.configure(paho);
		return paho;
	}

	private void connected(IMqttToken token) {
		MqttProperties properties = token.getResponseProperties();
		if (properties != null && properties.getReceiveMaximum() != null) {
			this.receiveMaximum = properties.getReceiveMaximum();
		}
		this.leader = (properties != null) ? PahoMessages.userProperty(properties, UserProperties.LEADER) : null;
		this.session.accepted(token);
		this.accepted.complete(null);
	}

	@Override
	public CompletableFuture<Void> accepted() {
		return this.accepted;
	}

	@Override
	public CompletableFuture<Throwable> lost() {
		return this.lost;
	}

	@Override
	public void abort(String cause) {
		this.lost.complete(new IllegalStateException(cause));
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
	public @Nullable String serverReference() {
		return this.socket.serverReference();
	}

	@Override
	public @Nullable String leader() {
		return this.leader;
	}

	@Override
	public TransferProgress progress() {
		return this.traffic.progress();
	}

	/**
	 * Returns the client of this link.
	 * @return the Paho client, to be closed only with this link
	 */
	public IMqttAsyncClient client() {
		return this.client;
	}

	@Override
	public Submission publish(LinkMessage message, Acknowledgment acknowledgment) {
		try {
			publish(message.topic(), PahoMessages.toPaho(message), null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					int[] codes = token.getReasonCodes();
					acknowledgment.acknowledged((codes != null && codes.length > 0) ? codes[0] : 0);
				}

				@Override
				public void onFailure(IMqttToken token, Throwable exception) {
					// The connection has ended, which lost() reports.
				}

			});
			return Submission.ACCEPTED;
		}
		catch (MqttException ex) {
			Submission submission = PahoFailures.submission(ex);
			if (submission == null) {
				throw new IllegalArgumentException(ex.getMessage(), ex);
			}
			return submission;
		}
	}

	/**
	 * Publishes a message with any QoS.
	 * @param topic topic name
	 * @param message the message
	 * @param context user context of the token, or {@code null}
	 * @param listener called on a network thread, or {@code null}
	 * @return the token of the publish
	 * @throws MqttException if Paho does not accept the message
	 */
	public IMqttToken publish(String topic, MqttMessage message, @Nullable Object context,
			@Nullable MqttActionListener listener) throws MqttException {
		this.traffic.publishSubmitted();
		try {
			return this.client.publish(topic, message, context, listener);
		}
		catch (MqttException | RuntimeException ex) {
			this.traffic.publishRejected();
			throw ex;
		}
	}

	/**
	 * Subscribes without a message listener, because the connection ends if a message
	 * listener of Paho throws an exception. Messages arrive at the session.
	 * @param subscriptions topic filters and their options
	 * @param context user context of the token, or {@code null}
	 * @param listener called on a network thread, or {@code null}
	 * @param properties properties of the SUBSCRIBE
	 * @return the token of the subscription
	 * @throws MqttException if Paho does not accept the request
	 */
	public IMqttToken subscribe(MqttSubscription[] subscriptions, @Nullable Object context,
			@Nullable MqttActionListener listener, MqttProperties properties) throws MqttException {
		// The overloads without an array of listeners fail.
		return unlessClosed(() -> this.client.subscribe(subscriptions, context, listener, (IMqttMessageListener[]) null,
				properties));
	}

	/**
	 * Unsubscribes.
	 * @param filters topic filters
	 * @param context user context of the token, or {@code null}
	 * @param listener called on a network thread, or {@code null}
	 * @param properties properties of the UNSUBSCRIBE
	 * @return the token of the request
	 * @throws MqttException if Paho does not accept the request
	 */
	public IMqttToken unsubscribe(String[] filters, @Nullable Object context, @Nullable MqttActionListener listener,
			MqttProperties properties) throws MqttException {
		return unlessClosed(() -> this.client.unsubscribe(filters, context, listener, properties));
	}

	/**
	 * Sends a request and returns its token. A closed Paho client lacks the callback and
	 * throws {@link NullPointerException}.
	 */
	private IMqttToken unlessClosed(Request request) throws MqttException {
		try {
			return request.send();
		}
		catch (NullPointerException ex) {
			if (this.lost.isDone()) {
				throw new MqttException(MqttClientException.REASON_CODE_CLIENT_CLOSED, ex);
			}
			throw ex;
		}
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
	public CompletableFuture<Void> reauthenticate(byte[] data) {
		if (this.authenticationMethod == null) {
			return CompletableFuture.failedFuture(new IllegalStateException("connected without authentication"));
		}
		CompletableFuture<Void> outcome = this.callback.awaitAuthentication();
		try {
			this.client.reauthenticate(this.authenticationMethod, data);
		}
		catch (MqttException | RuntimeException ex) {
			outcome.completeExceptionally(ex);
		}
		return outcome;
	}

	@Override
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		MqttProperties properties = new MqttProperties();
		if (endSession) {
			properties.setSessionExpiryInterval(0L);
		}
		// On another thread, because Paho sleeps for 100 ms in this call.
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
			// Close without DISCONNECT.
		}
		finally {
			// Paho would never end its threads if it were closed while it disconnects.
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

	/** A request of Paho. */
	@FunctionalInterface
	private interface Request {

		IMqttToken send() throws MqttException;

	}

	/**
	 * The MQTT session of a Paho link. By default it ends with the connection.
	 */
	@FunctionalInterface
	public interface PahoSession {

		/**
		 * Called on a network thread for each message, in the order of arrival. Must not
		 * block. Exceptions are logged.
		 * @param topic topic name
		 * @param message the message
		 */
		void messageArrived(String topic, MqttMessage message);

		/**
		 * Returns the store of messages that the client has still to complete.
		 * @return the store
		 */
		default MqttClientPersistence persistence() {
			return new MemoryPersistence();
		}

		/**
		 * Changes the options of the CONNECT.
		 * @param options the options
		 */
		default void configure(MqttConnectionOptions options) {
		}

		/**
		 * Called before the link connects.
		 * @param link the link
		 * @param client the client of the link
		 */
		default void opening(Link link, IMqttAsyncClient client) {
		}

		/**
		 * Called on a network thread, before any message of the connection arrives.
		 * @param token the token of the CONNACK
		 */
		default void accepted(IMqttToken token) {
		}

	}

}
