package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.internal.LinkMessage.Acknowledgment;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.BrokerConnection;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.Progress;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One network connection to the broker, on Netty. A link connects once and never sends a
 * packet again. Its own event loop owns the connection and calls all callbacks. Publishes
 * from other threads wait in a queue, which the event loop writes as a whole.
 */
public class Link {

	private static final Logger logger = LoggerFactory.getLogger(Link.class);

	private static final int MAX_PACKET_ID = 65_535;

	/** An odd number, so that no two packet identifiers become equal. */
	private static final int SCATTER = 40_503;

	/** Receive Maximum of a broker that names none (MQTT 5 section 3.2.2.3.3). */
	private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final Session session;

	/** Method of the CONNECT, {@code null} for none. */
	private final @Nullable String authenticationMethod;

	private final EventLoop loop;

	private final BrokerConnection connection;

	/** Messages that the event loop has not written yet. */
	private final Queue<Outgoing> waiting = new ConcurrentLinkedQueue<>();

	/** Whether the event loop is about to write the waiting messages. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Callbacks by scattered packet identifier. Used on the event loop only, as are the
	 * others.
	 */
	private final IntObjectMap<Acknowledgment> unacknowledged = new IntObjectHashMap<>();

	private final IntObjectMap<CompletableFuture<int[]>> subscribing = new IntObjectHashMap<>();

	/**
	 * Prevents reentrant calls: a write may change the writability in the middle of a
	 * packet.
	 */
	private boolean writing;

	private int lastId;

	private CompletableFuture<Void> authenticated = new CompletableFuture<>();

	private volatile int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

	private volatile @Nullable Long maximumPacketSize;

	private volatile int maximumQos = 2;

	private volatile boolean retainAvailable = true;

	private volatile @Nullable String serverReference;

	private volatile @Nullable String leader;

	/**
	 * Starts to connect, with a session that ends with the connection.
	 * @param receiver receives every message
	 */
	Link(Attempt attempt, Receiver receiver) {
		this(attempt, new CallSession(receiver));
	}

	/**
	 * Starts to connect, with a session that may outlive the connection.
	 * @param attempt host and options of the connection
	 * @param session receives every message
	 */
	public Link(Attempt attempt, Session session) {
		this.session = session;
		EnhancedAuthentication authentication = attempt.options().authentication();
		this.authenticationMethod = (authentication != null) ? authentication.method() : null;
		// The end of a group would start a thread that is no daemon.
		this.loop = new SingleThreadIoEventLoop(null, attempt.threads(), NioIoHandler.newFactory());
		try {
			this.connection = BrokerConnection.open(this.loop, NettyOptions.settings(attempt),
					NettyOptions.connect(attempt, session), new Events());
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Returns the outcome of the connect.
	 * @return a future that completes when the broker has accepted the connection. It
	 * fails if there is no connection, with a {@link BrokerException} if the broker
	 * refused it
	 */
	public CompletableFuture<Void> accepted() {
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
	 * Returns the Receive Maximum of the broker (MQTT 5 section 4.9).
	 * @return maximum number of unacknowledged publishes
	 */
	public int receiveMaximum() {
		return this.receiveMaximum;
	}

	/**
	 * Returns the Maximum Packet Size of the broker (MQTT 5 section 3.2.2.3.6).
	 * @return maximum size in bytes, or {@code null} without a limit
	 */
	public @Nullable Long maximumPacketSize() {
		return this.maximumPacketSize;
	}

	/**
	 * Returns the Maximum QoS of the broker (MQTT 5 section 3.2.2.3.4).
	 * @return highest QoS of publishes
	 */
	public int maximumQos() {
		return this.maximumQos;
	}

	/**
	 * Returns whether the broker retains messages (MQTT 5 section 3.2.2.3.5).
	 * @return whether publishes may be retained
	 */
	public boolean isRetainAvailable() {
		return this.retainAvailable;
	}

	/**
	 * Returns the Server Reference of an accepted connection, to which the broker refers
	 * the next one (MQTT 5 section 4.11).
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String serverReference() {
		return this.serverReference;
	}

	/**
	 * Returns the leader of a cluster that an accepted connection names in its CONNACK,
	 * because another node serves it.
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String leader() {
		return this.leader;
	}

	/**
	 * Returns the amount of transferred data.
	 * @return the progress of both directions
	 */
	public TransferProgress progress() {
		return new TransferProgress(direction(this.connection.received()), direction(this.connection.sent()));
	}

	private static TransferProgress.Direction direction(Progress progress) {
		return new TransferProgress.Direction(progress.packets(), progress.bytes());
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
		return publish(new Outgoing(message, 0, false, acknowledgment));
	}

	/**
	 * Publishes a message of a session, in the order of calls.
	 * @param message the message
	 * @param packetId packet identifier that no unanswered request of the session has
	 * @param repeated whether it was sent before, on an earlier connection
	 * @param acknowledgment called on a network thread, unless the connection ends first.
	 * With QoS 0, called when the network takes the message
	 * @return whether the link accepted the message
	 * @throws IllegalArgumentException if MQTT cannot transport the message
	 */
	public Submission publish(LinkMessage message, int packetId, boolean repeated, Acknowledgment acknowledgment) {
		return publish(new Outgoing(message, packetId, repeated, acknowledgment));
	}

	private Submission publish(Outgoing outgoing) {
		if (this.lost.isDone()) {
			return Submission.NOT_CONNECTED;
		}
		this.waiting.add(outgoing);
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
				Outgoing next;
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

	private void write(Outgoing next) {
		if (next.qos() == 0) {
			this.connection.publish(next, 0, false);
			next.acknowledgment().acknowledged(0);
			return;
		}
		int packetId = (next.packetId() != 0) ? next.packetId() : nextId();
		this.unacknowledged.put(scattered(packetId), next.acknowledgment());
		this.connection.publish(next, packetId, next.isRepeated());
	}

	/**
	 * Completes a message with QoS 2 that the broker has received on an earlier
	 * connection.
	 * @param packetId packet identifier of the message
	 * @param acknowledgment called on a network thread, unless the connection ends first
	 */
	public void release(int packetId, Acknowledgment acknowledgment) {
		execute(() -> {
			this.unacknowledged.put(scattered(packetId), acknowledgment);
			this.connection.write(ClientPackets.release(packetId));
			this.connection.flush();
		});
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

	/** Returns a free id, which exists: callers limit the number of publishes. */
	private int nextId() {
		do {
			this.lastId = this.lastId % MAX_PACKET_ID + 1;
		}
		while (this.unacknowledged.containsKey(scattered(this.lastId)) || this.subscribing.containsKey(this.lastId));
		return this.lastId;
	}

	/**
	 * Scatters packet identifiers. The map would place consecutive identifiers side by
	 * side, and each removal would examine all that follow.
	 */
	private static int scattered(int packetId) {
		return packetId * SCATTER & MAX_PACKET_ID;
	}

	/**
	 * Subscribes with QoS 1.
	 * @param filter an MQTT topic filter
	 * @return a future that completes with the reason codes of the broker, also if they
	 * are refusals. It fails if the request cannot be sent
	 */
	public CompletableFuture<int[]> subscribe(String filter) {
		return request(this::nextId, (packetId) -> ClientPackets.subscribe(packetId, filter));
	}

	/**
	 * Subscribes or unsubscribes.
	 * @param packetId packet identifier that no unanswered request of the session has
	 * @param packet the SUBSCRIBE or UNSUBSCRIBE
	 * @return a future that completes with the reason codes of the broker, also if they
	 * are refusals. It fails if the connection ends first
	 */
	public CompletableFuture<int[]> request(int packetId, MqttMessage packet) {
		return request(() -> packetId, (id) -> packet);
	}

	private CompletableFuture<int[]> request(IntSupplier id, IntFunction<MqttMessage> packet) {
		CompletableFuture<int[]> codes = new CompletableFuture<>();
		boolean executed = execute(() -> {
			int packetId = id.getAsInt();
			this.subscribing.put(packetId, codes);
			this.connection.write(packet.apply(packetId));
			this.connection.flush();
			if (this.lost.isDone()) {
				codes.completeExceptionally(this.lost.join());
			}
		});
		if (!executed) {
			codes.completeExceptionally(new IllegalStateException("the connection is closed"));
		}
		return codes;
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
			link.receiveMaximum = accepted.receiveMaximum();
			link.maximumPacketSize = (accepted.maxPacketSize() < Long.MAX_VALUE) ? accepted.maxPacketSize() : null;
			link.maximumQos = accepted.maximumQos();
			link.retainAvailable = accepted.retainAvailable();
			link.serverReference = accepted.serverReference();
			link.leader = NettyMessages.userProperty(accepted.userProperties(), UserProperties.LEADER);
			link.session.accepted(link, accepted);
			link.accepted.complete(null);
		}

		@Override
		public void subscribed(int packetId, List<Integer> reasonCodes) {
			CompletableFuture<int[]> codes = Link.this.subscribing.remove(packetId);
			if (codes != null) {
				codes.complete(reasonCodes.stream().mapToInt(Integer::intValue).toArray());
			}
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
			Acknowledgment acknowledgment = Link.this.unacknowledged.remove(scattered(packetId));
			if (acknowledgment != null) {
				acknowledgment.acknowledged(reasonCode);
			}
		}

		@Override
		public void received(int packetId) {
			Link link = Link.this;
			Acknowledgment acknowledgment = link.unacknowledged.get(scattered(packetId));
			if (acknowledgment != null) {
				acknowledgment.received();
			}
			link.connection.write(ClientPackets.release(packetId));
			link.connection.flush();
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
			link.subscribing.values().forEach((codes) -> codes.completeExceptionally(failure));
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
		void accepted(Link link, Accepted accepted);

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

	/** The session of calls, which ends with the connection. */
	private static final class CallSession implements Session {

		private final Receiver receiver;

		/** Whether messages are being read. Their end is reported to the receiver. */
		private boolean reading;

		CallSession(Receiver receiver) {
			this.receiver = receiver;
		}

		@Override
		public void accepted(Link link, Accepted accepted) {
		}

		@Override
		public boolean published(Publish publish) {
			try {
				if (!this.reading) {
					this.reading = true;
					this.receiver.readStarted();
				}
				this.receiver.messageArrived(NettyMessages.received(publish));
			}
			catch (RuntimeException | Error ex) {
				logger.error("Failed to process a message on topic {}; the message is lost. This is a bug: report it "
						+ "with this stack trace", publish.topic(), ex);
			}
			return true;
		}

		@Override
		public void readCompleted() {
			if (this.reading) {
				this.reading = false;
				this.receiver.readCompleted();
			}
		}

	}

	/**
	 * Receives the messages of a link on a network thread, in the order of arrival.
	 * Exceptions are logged.
	 */
	@FunctionalInterface
	public interface Receiver {

		/**
		 * Receives a message. Must pass it on without blocking.
		 * @param message the message
		 */
		void messageArrived(LinkMessage message);

		/** Called before messages that arrived together. */
		default void readStarted() {
		}

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
	}

	/** Outcome of handing a message to a link. */
	public enum Submission {

		/** The link sends the message. */
		ACCEPTED,

		/** The connection has ended. */
		NOT_CONNECTED

	}

}
