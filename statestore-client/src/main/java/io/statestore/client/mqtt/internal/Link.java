package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.internal.InFlight.Packet;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.BrokerConnection;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.Publish;
import io.statestore.mqtt.Tls;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * One network connection to the broker, on Netty. A link connects once and never sends a
 * packet again. Its own event loop owns the connection and calls all callbacks. Publishes
 * from other threads wait in a queue, which the event loop writes as a whole.
 */
public class Link {

	private final CompletableFuture<Accepted> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final Session session;

	private final InFlight inFlight;

	/** Method of the CONNECT, {@code null} for none. */
	private final @Nullable String authenticationMethod;

	private final EventLoop loop;

	private final BrokerConnection connection;

	/** Messages that the event loop has not written yet. */
	private final Queue<Packet> waiting = new ConcurrentLinkedQueue<>();

	/** Whether the event loop is about to write the waiting messages. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Prevents reentrant calls: a write may change the writability in the middle of a
	 * packet.
	 */
	private boolean writing;

	private CompletableFuture<Void> authenticated = new CompletableFuture<>();

	/**
	 * Starts to connect, with packets in flight that end with the connection.
	 * @param session receives every message
	 */
	Link(Attempt attempt, Session session) {
		this(attempt, session, new InFlight(Long.MAX_VALUE));
	}

	/**
	 * Starts to connect, with packets in flight that may outlive the connection.
	 * @param attempt host and options of the connection
	 * @param session receives every message
	 * @param inFlight packets in flight of the session
	 */
	public Link(Attempt attempt, Session session, InFlight inFlight) {
		this.session = session;
		this.inFlight = inFlight;
		EnhancedAuthentication authentication = attempt.options().authentication();
		this.authenticationMethod = (authentication != null) ? authentication.method() : null;
		// The end of a group would start a thread that is no daemon.
		this.loop = new SingleThreadIoEventLoop(null, (Executor) (task) -> start(attempt.threads(), task),
				NioIoHandler.newFactory());
		try {
			this.connection = BrokerConnection.open(this.loop, attempt.settings(), attempt.connect(session),
					new Events());
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Starts the event loop. Without a thread for it, the caller runs its end, which
	 * closes its files.
	 */
	private void start(ThreadFactory threads, Runnable task) {
		try {
			threads.newThread(task).start();
		}
		catch (RuntimeException | Error ex) {
			if (!this.loop.isShuttingDown()) {
				throw ex;
			}
			task.run();
		}
	}

	/**
	 * Returns the outcome of the connect.
	 * @return a future that completes with the content of the CONNACK. It fails if there
	 * is no connection, with a {@link BrokerException} if the broker refused it
	 */
	public CompletableFuture<Accepted> accepted() {
		return this.accepted;
	}

	/**
	 * Returns the end of an accepted connection.
	 * @return a future that completes with the cause when the connection breaks. It is a
	 * {@link BrokerException} if the broker ended the connection
	 */
	public CompletableFuture<Throwable> lost() {
		return this.lost;
	}

	/**
	 * Ends a connection that is no longer usable. Completes {@link #lost()}.
	 * @param cause the cause, as shown in the log
	 */
	public void abort(String cause) {
		this.lost.complete(new IllegalStateException(cause));
		close();
	}

	/**
	 * Ends a connection that a failure has made unusable. Completes {@link #lost()}.
	 * @param problem the problem, such as "a message could not be delivered"
	 * @param failure the failure that caused it
	 */
	public void abort(String problem, Throwable failure) {
		abort(NettyFailures.describe(problem, failure));
	}

	/**
	 * Returns what the broker permits on an accepted connection.
	 * @return the content of the CONNACK
	 */
	public Accepted limits() {
		return this.accepted.join();
	}

	/** Returns the packets in flight of the session. */
	InFlight inFlight() {
		return this.inFlight;
	}

	/**
	 * Returns the Server Reference of an accepted connection, to which the broker refers
	 * the next one (MQTT 5 section 4.11).
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String serverReference() {
		return limits().serverReference();
	}

	/**
	 * Returns the leader of a cluster that an accepted connection names in its CONNACK,
	 * because another node serves it.
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String leader() {
		return NettyMessages.userProperty(limits().userProperties(), UserProperties.LEADER);
	}

	/**
	 * Returns the amount of transferred data.
	 * @return the progress of both directions
	 */
	public TransferProgress progress() {
		return new TransferProgress(this.connection.received(), this.connection.sent());
	}

	/**
	 * Publishes a message.
	 * @param message the message
	 * @param acknowledgment called on a network thread if the outcome is
	 * {@link Submission#ACCEPTED}, unless the connection ends first
	 * @return whether the link accepted the message
	 * @throws RuntimeException if the message cannot be sent over any connection
	 */
	public Submission publish(LinkMessage message, Acknowledgment acknowledgment) {
		return this.inFlight.publish(new Outgoing(message), acknowledgment);
	}

	/** Publishes a message, in the order of calls. */
	Submission publish(Packet packet) {
		if (this.lost.isDone()) {
			return Submission.NOT_CONNECTED;
		}
		this.waiting.add(packet);
		if (this.loop.inEventLoop()) {
			writeWaiting();
		}
		else if (this.scheduled.compareAndSet(false, true) && !execute(this::writeScheduled)) {
			return Submission.NOT_CONNECTED;
		}
		return Submission.ACCEPTED;
	}

	/** Runs a task on the event loop, and returns whether that has not ended. */
	private boolean execute(Runnable task) {
		try {
			this.loop.execute(() -> {
				try {
					task.run();
				}
				catch (RuntimeException | Error ex) {
					// The event loop would continue with a connection that has lost a
					// packet.
					abort("a packet could not be sent", ex);
				}
			});
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	private void writeScheduled() {
		this.scheduled.set(false);
		writeWaiting();
	}

	/** Writes the waiting messages while the network accepts them, and sends them. */
	private void writeWaiting() {
		if (this.writing) {
			return;
		}
		this.writing = true;
		try {
			do {
				Packet next;
				while (this.connection.isWritable() && (next = this.waiting.poll()) != null) {
					write(next);
				}
				this.connection.flush();
			}
			while (this.connection.isWritable() && !this.waiting.isEmpty());
		}
		finally {
			this.writing = false;
		}
	}

	private void write(Packet next) {
		Outgoing message = next.publish();
		this.connection.publish(message, next.id(), next.isRepeated());
		if (message.qos() == 0) {
			this.inFlight.answered(this, next.id(), 0);
		}
	}

	/** Writes a packet that is no publish. */
	Submission write(MqttMessage packet) {
		return execute(() -> {
			this.connection.write(packet);
			this.connection.flush();
		}) ? Submission.ACCEPTED : Submission.NOT_CONNECTED;
	}

	/**
	 * Acknowledges a message of the session.
	 * @param packetId packet identifier of the message
	 */
	public void acknowledge(int packetId) {
		execute(() -> {
			this.connection.acknowledge(packetId);
			this.connection.flush();
		});
	}

	/**
	 * Authenticates again on this connection (MQTT 5 section 4.12.1), with the method of
	 * the CONNECT. Called by one thread at a time.
	 * @param data authentication data that replaces that of the CONNECT
	 * @return a future that completes when the broker has accepted the data. It fails if
	 * the request cannot be sent, or if the broker requests a further step. A broker that
	 * refuses the data ends the connection; see {@link #lost()}
	 */
	public CompletableFuture<Void> reauthenticate(byte[] data) {
		CompletableFuture<Void> outcome = new CompletableFuture<>();
		String method = this.authenticationMethod;
		if (method == null || !execute(() -> {
			this.authenticated = outcome;
			this.connection.write(ClientPackets.reauthenticate(method, data));
			this.connection.flush();
		})) {
			outcome.completeExceptionally(new IllegalStateException("connected without authentication, or closed"));
		}
		return outcome;
	}

	/**
	 * Sends DISCONNECT, then closes this link.
	 * @param timeout maximum time to wait until DISCONNECT was sent
	 * @param endSession whether to end a session that outlives a lost connection
	 * @throws InterruptedException if interrupted while waiting; the link is closed
	 */
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		MqttProperties properties = new MqttProperties();
		if (endSession) {
			properties.add(ClientPackets.property(MqttProperties.SESSION_EXPIRY_INTERVAL, 0));
		}
		MqttMessage disconnect = MqttMessageBuilders.disconnect().reasonCode((byte) 0).properties(properties).build();
		boolean executed = execute(() -> this.connection.close(disconnect).thenRun(() -> done.complete(null)));
		try {
			if (executed) {
				done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			// Close without DISCONNECT.
		}
		finally {
			close();
			this.inFlight.disconnected(this, new IllegalStateException("the client has disconnected"));
		}
	}

	/**
	 * Closes all resources, in any state. The end of the event loop closes the socket.
	 */
	public void close() {
		this.loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
	}

	/** Handles events on the event loop. */
	private final class Events implements BrokerConnection.Events {

		@Override
		public void accepted(Accepted accepted) {
			Link link = Link.this;
			link.session.accepted(link, accepted);
			link.inFlight.connected(link, accepted);
			link.accepted.complete(accepted);
		}

		@Override
		public void subscribed(int packetId, List<Integer> reasonCodes) {
			Link.this.inFlight.answered(Link.this, packetId,
					reasonCodes.stream().mapToInt(Integer::intValue).toArray());
		}

		@Override
		public void published(Publish publish) {
			Link link = Link.this;
			if (link.lost.isDone()) {
				// The next connection may have begun, and this is not one of its
				// messages.
				return;
			}
			if (link.session.published(publish) && publish.packetId() > 0) {
				link.connection.acknowledge(publish.packetId());
			}
		}

		@Override
		public void readCompleted() {
			Link.this.session.readCompleted();
		}

		@Override
		public void acknowledged(int packetId, int reasonCode) {
			Link.this.inFlight.answered(Link.this, packetId, reasonCode);
		}

		@Override
		public void received(int packetId) {
			Link link = Link.this;
			if (link.inFlight.received(link, packetId)) {
				link.connection.write(ClientPackets.release(packetId));
				link.connection.flush();
			}
		}

		@Override
		public void authenticated(int reasonCode) {
			Link link = Link.this;
			if (link.accepted.isDone() && reasonCode == 0) {
				link.authenticated.complete(null);
				return;
			}
			IllegalStateException failure = new IllegalStateException(
					"the broker requests another authentication step, which this client does not support");
			link.accepted.completeExceptionally(failure);
			link.authenticated.completeExceptionally(failure);
		}

		@Override
		public void writabilityChanged() {
			writeWaiting();
		}

		@Override
		public void ended(Throwable cause, boolean accepted) {
			Link link = Link.this;
			Throwable failure = NettyFailures.translate(cause, accepted);
			if (!link.accepted.completeExceptionally(failure)) {
				link.lost.complete(failure);
			}
			link.inFlight.disconnected(link, failure);
			readCompleted();
		}

	}

	/**
	 * The MQTT session of a link. Called on the event loop of the link, and must not
	 * block.
	 */
	public interface Session {

		/**
		 * Returns whether the broker must begin a new session.
		 * @return the Clean Start flag of the CONNECT
		 */
		default boolean isNew() {
			return true;
		}

		/**
		 * Adds properties to the CONNECT.
		 * @param properties the properties
		 */
		default void configure(MqttProperties properties) {
		}

		/**
		 * Called before any message of the connection arrives.
		 * @param link the link
		 * @param accepted what the broker permits
		 */
		default void accepted(Link link, Accepted accepted) {
		}

		/**
		 * Receives a message. An exception ends the connection.
		 * @param publish the message
		 * @return whether the link acknowledges the message; otherwise, the session calls
		 * {@link Link#acknowledge}
		 */
		boolean published(Publish publish);

		/** Called after messages that arrived together. */
		default void readCompleted() {
		}

	}

	/**
	 * An attempt to connect to one of the hosts of a connection.
	 *
	 * @param options options of the connection
	 * @param host the host
	 * @param timeout timeout of the attempt
	 * @param authenticationData data of the enhanced authentication, or {@code null}
	 * without one
	 * @param threads factory of the network threads
	 */
	public record Attempt(ConnectionOptions options, BrokerAddress host, Duration timeout,
			byte @Nullable [] authenticationData, ThreadFactory threads) {

		private ConnectionSettings settings() {
			Supplier<ConnectionOptions.Tls> source = this.options.tls();
			ConnectionOptions.Tls tls = (source != null) ? source.get() : null;
			return new ConnectionSettings(this.host.host(), this.host.port(),
					(tls != null) ? new Tls(tls.context(), tls.verifyHostname()) : null, this.timeout,
					ConnectionSettings.MAX_PACKET_SIZE, ConnectionSettings.MAX_PACKET_SIZE, (bytes) -> {
					});
		}

		/** Returns the CONNECT, with the current password and authentication data. */
		private MqttConnectMessage connect(Session session) {
			EnhancedAuthentication authentication = this.options.authentication();
			Supplier<String> password = this.options.password();
			MqttProperties properties = (authentication != null && this.authenticationData != null)
					? ClientPackets.authentication(authentication.method(), this.authenticationData)
					: new MqttProperties();
			session.configure(properties);
			return ClientPackets
				.connect(this.options.clientId(), session.isNew(), (int) this.options.keepAlive().toSeconds(),
						this.options.username(),
						(password != null) ? password.get().getBytes(StandardCharsets.UTF_8) : null, properties)
				.build();
		}

	}

	/** Outcome of handing a message to a link. */
	public enum Submission {

		/** The link sends the message. */
		ACCEPTED,

		/** The connection has ended. */
		NOT_CONNECTED

	}

}
