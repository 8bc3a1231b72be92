package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.BrokerConnection;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionFailure;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the gateway connected and subscribed. Each attempt checks for another store,
 * connects, subscribes, and starts serving requests. The delay between attempts grows. If
 * the first attempt fails, the link does not retry. Used only on the event loop.
 */
final class BrokerLink implements BrokerConnection.Events {

	private static final Logger logger = LoggerFactory.getLogger(BrokerLink.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/**
	 * How long the broker queues requests while the gateway is disconnected. Clients give
	 * up earlier, so a short outage loses no requests.
	 */
	private static final Duration SESSION_EXPIRY = Duration.ofMinutes(1);

	private static final long SUBACK_MILLIS = 10_000;

	private static final long MIN_PAUSE_MILLIS = 100;

	private static final long MAX_PAUSE_MILLIS = 5_000;

	private final CompletableFuture<Void> started = new CompletableFuture<>();

	private final Outbox outbox;

	private final EventLoop loop;

	private final GatewaySettings settings;

	private final Listener listener;

	private final Runnable superseded;

	private @Nullable BrokerConnection connection;

	/** Ends a connection if no SUBACK arrives in time. */
	private @Nullable ScheduledFuture<?> subscribeTimer;

	/** Acknowledgments for requests received on the current connection. */
	private HeldMessages acknowledgments = new HeldMessages();

	private int attempts;

	/** Whether the state of an earlier gateway has been read. */
	private boolean restored;

	private boolean dropSession;

	private boolean closed;

	private volatile boolean serving;

	/**
	 * Creates a link to a broker.
	 * @param listener receives this link's events
	 * @param superseded called when another store serves the broker's clients
	 */
	BrokerLink(EventLoop loop, GatewaySettings settings, Listener listener, Runnable superseded) {
		this.loop = loop;
		this.settings = settings;
		this.outbox = new Outbox(settings.budget().open(),
				Math.min(settings.budget().maxBytes(), settings.budget().maxBytesPerClient()));
		this.listener = listener;
		this.superseded = superseded;
	}

	/** Starts the first attempt. The future completes once requests are being served. */
	CompletableFuture<Void> start() {
		probe();
		return this.started;
	}

	/** Returns whether requests are currently served. Thread-safe. */
	boolean isServing() {
		return this.serving;
	}

	/** Returns the messages that the broker has not acknowledged. */
	Outbox outbox() {
		return this.outbox;
	}

	void flush() {
		if (this.connection != null) {
			this.connection.flush();
		}
	}

	void close() {
		this.closed = true;
		this.serving = false;
		cancelSubscribeTimer();
		if (this.connection != null) {
			disconnect(this.connection);
		}
		this.started.completeExceptionally(new IllegalStateException("The gateway has stopped"));
	}

	private static void disconnect(BrokerConnection connection) {
		connection.close(Packets.disconnect(0, "the gateway stops"));
	}

	private void probe() {
		if (!this.closed) {
			Probe.run(this.loop, this.settings).whenComplete(this::probed);
		}
	}

	private void probed(@Nullable Boolean served, @Nullable Throwable failure) {
		if (this.closed) {
			return;
		}
		if (failure != null) {
			retry(failure);
		}
		else if (Boolean.TRUE.equals(served)) {
			supersede();
		}
		else if (this.restored) {
			connect();
		}
		else {
			RetainedReader.read(this.loop, this.settings, RetainedReader.TIMEOUT, RetainedReader.QUIET)
				.whenComplete(this::restored);
		}
	}

	private void restored(@Nullable Retained retained, @Nullable Throwable failure) {
		if (this.closed) {
			return;
		}
		if (retained == null) {
			retry((failure != null) ? failure : new IllegalStateException());
			return;
		}
		this.restored = true;
		this.listener.restored(retained);
		connect();
	}

	private void connect() {
		this.connection = this.settings.open(this.loop, this.settings.clientId(), this.dropSession, SESSION_EXPIRY,
				this);
	}

	private void supersede() {
		String message = "Another state store already serves " + this.settings.broker()
				+ ": stop it, or do not start a gateway there. One broker can have only one";
		boolean first = this.started.completeExceptionally(new IllegalStateException(message));
		close();
		if (!first) {
			logger.error("{}. This gateway has stopped", message);
			this.superseded.run();
		}
	}

	@Override
	public void accepted(Accepted accepted) {
		BrokerConnection current = this.connection;
		if (current == null) {
			return;
		}
		this.dropSession = false;
		this.acknowledgments = new HeldMessages();
		this.listener.connected();
		this.outbox.connected(current, accepted);
		current.write(this.settings.administration()
				? ClientPackets.subscribe(Outbox.SUBSCRIBE_ID, Topics.REQUEST, Administration.REQUEST_TOPIC)
				: ClientPackets.subscribe(Outbox.SUBSCRIBE_ID, Topics.REQUEST));
		current.flush();
		this.subscribeTimer = this.loop.schedule(
				() -> fail(current,
						new BrokerException("the broker does not answer SUBSCRIBE. Check the broker's log")),
				SUBACK_MILLIS, TimeUnit.MILLISECONDS);
	}

	private void cancelSubscribeTimer() {
		if (this.subscribeTimer != null) {
			this.subscribeTimer.cancel(false);
		}
	}

	/** Ends a connection; the connection does not report this end itself. */
	private void fail(BrokerConnection current, BrokerException cause) {
		disconnect(current);
		ended(cause);
	}

	@Override
	public void subscribed(int packetId, List<Integer> reasonCodes) {
		int reasonCode = reasonCodes.get(0);
		if (ReasonCodes.isFailure(reasonCode) && this.connection != null) {
			fail(this.connection,
					new BrokerException("the broker does not permit the gateway to subscribe to '" + Topics.REQUEST
							+ "' (reason 0x" + Integer.toHexString(reasonCode) + "); check its access control list"));
			return;
		}
		cancelSubscribeTimer();
		if (reasonCodes.size() > 1 && ReasonCodes.isFailure(reasonCodes.get(1))) {
			logger.warn(
					"The broker does not permit the gateway to subscribe to '{}' (reason 0x{}), so the gateway answers "
							+ "no administration requests. Check the broker's access control list",
					Administration.REQUEST_TOPIC, Integer.toHexString(reasonCodes.get(1)));
		}
		this.attempts = 0;
		this.serving = true;
		logger.info("Serving the state store on {}", this.settings);
		this.started.complete(null);
	}

	@Override
	public void published(Publish publish) {
		Runnable acknowledgment = acknowledgment(publish.packetId());
		if (publish.isSkipped()) {
			clientLog
				.warn("Skipped a message with {} bytes of MQTT properties; the maximum is {}. If it was a request, its "
						+ "client gets no reply", publish.propertiesSize(), GatewaySettings.MAX_PROPERTIES_SIZE);
			acknowledgment.run();
		}
		else {
			this.listener.received(publish, acknowledgment);
		}
	}

	/**
	 * Returns an action that acknowledges a message. Acknowledgments are sent in message
	 * order.
	 */
	private Runnable acknowledgment(int packetId) {
		BrokerConnection current = this.connection;
		return (packetId <= 0 || current == null) ? () -> {
		} : this.acknowledgments.hold(() -> this.outbox.acknowledge(current, packetId));
	}

	@Override
	public void acknowledged(int packetId, int reasonCode) {
		this.outbox.acknowledged(packetId, reasonCode);
	}

	@Override
	public void writabilityChanged() {
		this.outbox.drain();
	}

	@Override
	public void ended(Throwable cause, boolean accepted) {
		// Otherwise, the session would redeliver the malformed message, which would end
		// the next connection.
		this.dropSession = this.dropSession
				|| cause instanceof ConnectionFailure failure && failure.kind() == ConnectionFailure.Kind.MALFORMED;
		ended(Diagnosis.of(cause, this.settings.tls() != null, accepted));
	}

	private void ended(BrokerException cause) {
		cancelSubscribeTimer();
		this.outbox.disconnected();
		this.listener.disconnected();
		this.serving = false;
		retry(cause);
	}

	private void retry(Throwable cause) {
		String message = "No connection to " + this.settings.broker() + ": " + cause.getMessage();
		if (this.closed || this.started.completeExceptionally(new IllegalStateException(message, cause))) {
			this.closed = true;
			return;
		}
		if (this.attempts == 0) {
			logger.warn("{}. The gateway tries again until it is connected", message);
		}
		else {
			logger.debug("{} (attempt {})", message, this.attempts);
		}
		long pause = Math.min(MAX_PAUSE_MILLIS, MIN_PAUSE_MILLIS << Math.min(this.attempts, 10));
		this.attempts++;
		this.loop.schedule(this::probe, pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1),
				TimeUnit.MILLISECONDS);
	}

	/** Listener for link events. */
	interface Listener {

		/**
		 * Called once, before the first connection.
		 * @param retained the state of an earlier gateway
		 */
		default void restored(Retained retained) {
		}

		/** Called for every connection, before anything is sent. */
		default void connected() {
		}

		/** Called after a connection has ended. */
		default void disconnected() {
		}

		/**
		 * Handles a message.
		 * @param publish the message
		 * @param done acknowledges the message; to be run on the event loop once the
		 * request has completed
		 */
		void received(Publish publish, Runnable done);

	}

}
