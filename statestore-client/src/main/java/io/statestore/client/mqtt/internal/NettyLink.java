package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.internal.Link.LinkMessage;
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
 * A link by our own connection on Netty. Each link has an event loop of its own, which
 * owns the connection and calls all callbacks. Publishes of other threads wait in a
 * queue, of which the event loop writes all at once.
 */
final class NettyLink implements Link {

	private static final Logger logger = LoggerFactory.getLogger(NettyLink.class);

	private static final int MAX_PACKET_ID = 65_535;

	/** An odd number, so that no two packet identifiers become equal. */
	private static final int SCATTER = 40_503;

	/** Receive Maximum of a broker that names none (MQTT 5 section 3.2.2.3.3). */
	private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final Receiver receiver;

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

	/** Whether messages are being read. Their end is reported to the receiver. */
	private boolean reading;

	private CompletableFuture<Void> authenticated = new CompletableFuture<>();

	private volatile int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

	private volatile @Nullable Long maximumPacketSize;

	private volatile @Nullable String serverReference;

	private volatile @Nullable String leader;

	/**
	 * Starts to connect.
	 * @param receiver receives every message
	 */
	NettyLink(Attempt attempt, Receiver receiver) {
		this.receiver = receiver;
		EnhancedAuthentication authentication = attempt.options().authentication();
		this.authenticationMethod = (authentication != null) ? authentication.method() : null;
		// The end of a group would start a thread that is no daemon.
		this.loop = new SingleThreadIoEventLoop(null, attempt.threads(), NioIoHandler.newFactory());
		try {
			this.connection = BrokerConnection.open(this.loop, NettyOptions.settings(attempt),
					NettyOptions.connect(attempt), new Events());
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
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
		close();
	}

	@Override
	public int receiveMaximum() {
		return this.receiveMaximum;
	}

	@Override
	public @Nullable Long maximumPacketSize() {
		return this.maximumPacketSize;
	}

	@Override
	public @Nullable String serverReference() {
		return this.serverReference;
	}

	@Override
	public @Nullable String leader() {
		return this.leader;
	}

	@Override
	public TransferProgress progress() {
		return new TransferProgress(direction(this.connection.received()), direction(this.connection.sent()));
	}

	private static TransferProgress.Direction direction(Progress progress) {
		return new TransferProgress.Direction(progress.packets(), progress.bytes());
	}

	@Override
	public Submission publish(LinkMessage message, Acknowledgment acknowledgment) {
		if (this.lost.isDone()) {
			return Submission.NOT_CONNECTED;
		}
		this.waiting.add(new Outgoing(message, acknowledgment));
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
			this.loop.execute(task);
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
		do {
			Outgoing next;
			while (this.connection.isWritable() && (next = this.waiting.poll()) != null) {
				int packetId = nextId();
				this.unacknowledged.put(scattered(packetId), next.acknowledgment());
				this.connection.publish(next, packetId, false);
			}
			this.connection.flush();
		}
		while (this.connection.isWritable() && !this.waiting.isEmpty());
		this.writing = false;
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

	@Override
	public CompletableFuture<int[]> subscribe(String filter) {
		CompletableFuture<int[]> codes = new CompletableFuture<>();
		boolean executed = execute(() -> {
			int packetId = nextId();
			this.subscribing.put(packetId, codes);
			this.connection.write(ClientPackets.subscribe(packetId, filter));
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

	@Override
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

	/** Sends DISCONNECT. The session always ends with the connection. */
	@Override
	public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
		CompletableFuture<Void> done = new CompletableFuture<>();
		boolean executed = execute(
				() -> this.connection.close(MqttMessageBuilders.disconnect().reasonCode((byte) 0).build())
					.thenRun(() -> done.complete(null)));
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

	/** Closes all resources by ending the event loop, which closes the socket. */
	@Override
	public void close() {
		this.loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
	}

	/** Handles events on the event loop. */
	private final class Events implements BrokerConnection.Events {

		@Override
		public void accepted(Accepted accepted) {
			NettyLink link = NettyLink.this;
			link.receiveMaximum = accepted.receiveMaximum();
			link.maximumPacketSize = (accepted.maxPacketSize() < Long.MAX_VALUE) ? accepted.maxPacketSize() : null;
			link.serverReference = accepted.serverReference();
			link.leader = NettyMessages.userProperty(accepted.userProperties(), UserProperties.LEADER);
			link.accepted.complete(null);
		}

		@Override
		public void subscribed(int packetId, List<Integer> reasonCodes) {
			CompletableFuture<int[]> codes = NettyLink.this.subscribing.remove(packetId);
			if (codes != null) {
				codes.complete(reasonCodes.stream().mapToInt(Integer::intValue).toArray());
			}
		}

		@Override
		public void published(Publish publish) {
			NettyLink link = NettyLink.this;
			if (link.lost.isDone()) {
				// The next connection may have begun, and this is not one of its
				// messages.
				return;
			}
			try {
				if (!link.reading) {
					link.reading = true;
					link.receiver.readStarted();
				}
				link.receiver.messageArrived(NettyMessages.received(publish));
			}
			catch (RuntimeException | Error ex) {
				logger.error("Failed to hand over a message on topic {}", publish.topic(), ex);
			}
			if (publish.packetId() > 0) {
				link.connection.acknowledge(publish.packetId());
			}
		}

		@Override
		public void readCompleted() {
			NettyLink link = NettyLink.this;
			if (link.reading) {
				link.reading = false;
				link.receiver.readCompleted();
			}
		}

		@Override
		public void acknowledged(int packetId, int reasonCode) {
			Acknowledgment acknowledgment = NettyLink.this.unacknowledged.remove(scattered(packetId));
			if (acknowledgment != null) {
				acknowledgment.acknowledged(reasonCode);
			}
		}

		@Override
		public void authenticated(int reasonCode) {
			NettyLink link = NettyLink.this;
			if (link.accepted.isDone() && reasonCode == 0) {
				link.authenticated.complete(null);
				return;
			}
			IllegalStateException failure = new IllegalStateException(
					"the broker requests a further step of the authentication");
			link.accepted.completeExceptionally(failure);
			link.authenticated.completeExceptionally(failure);
		}

		@Override
		public void writabilityChanged() {
			writeWaiting();
		}

		@Override
		public void ended(Throwable cause, boolean accepted) {
			NettyLink link = NettyLink.this;
			Throwable failure = NettyFailures.translate(cause, accepted);
			if (!link.accepted.completeExceptionally(failure)) {
				link.lost.complete(failure);
			}
			link.subscribing.values().forEach((codes) -> codes.completeExceptionally(failure));
			readCompleted();
		}

	}

}
