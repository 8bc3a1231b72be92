package io.statestore.dafka.node.internal;

import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Ticker;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZEvent;
import zmq.Msg;
import zmq.ZError;
import zmq.io.Metadata;
import zmq.util.Utils;

/**
 * Guard of a socket. Checks each frame from a peer before the socket receives it, limits
 * the number of connections, and closes those that send nothing. Called by the I/O
 * thread, and periodically by the owner of the socket. Never throws, because JeroMQ's
 * decoder loops without end after an exception.
 */
final class ConnectionGuard implements ZEvent.ZEventConsummer, GuardedMessage.Check, CurveHandshake.Events {

	private static final byte UNSUBSCRIBE = 0;

	private static final byte SUBSCRIBE = 1;

	/** A connection may use one of this many parts of the memory for subscriptions. */
	private static final int SHARES = 4;

	/** Time within which a CURVE handshake must end. */
	static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Time after which JeroMQ gives up a connection that it does not monitor. */
	private static final long UNMONITORED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_900);

	private final GuardedContext context;

	private final SocketLimits limits;

	private final LargeFrames large;

	private final QueuedBytes queued;

	private final SocketType type;

	/** Number of bytes by which an encrypted frame may exceed the maximum. */
	private final int overhead;

	private final Consumer<ZEvent> observer;

	private final String socket;

	/** Time within which each live peer subscribes or answers a heartbeat. */
	private final long silenceNanos;

	/** Time for which JeroMQ keeps the buffers of a lost connection. */
	private final long bufferNanos;

	private final Ticker ticker;

	private final Map<SocketChannel, Connection> open = new HashMap<>();

	private final Map<String, Connection> byAddress = new HashMap<>();

	/** Accepted connections from which nothing has arrived, oldest first. */
	private final Set<Connection> unproven = new LinkedHashSet<>();

	/** Times of recent ZMTP greetings. Each greeting allocates buffers. */
	private final Deque<Long> greetings = new ArrayDeque<>();

	private final HandshakeLimit handshakes = new HandshakeLimit();

	/** Keys of the node and its peers, {@code null} without CURVE. */
	private final @Nullable CurveSecurity security;

	private @Nullable Metadata latestMetadata;

	private @Nullable Connection latest;

	private int accepted;

	private long subscriptionBytes;

	/**
	 * Creates a guard.
	 * @param type type of the socket
	 * @param limits limits of the socket
	 * @param context context of the socket
	 * @param observer also receives all events
	 */
	ConnectionGuard(SocketType type, SocketLimits limits, GuardedContext context, Consumer<ZEvent> observer) {
		this.type = type;
		this.limits = limits;
		this.context = context;
		this.observer = observer;
		this.security = context.security;
		this.ticker = context.ticker;
		this.socket = context.name + ' ' + type;
		this.overhead = (this.security != null) ? CurveHandshake.FRAME_OVERHEAD : 0;
		this.large = new LargeFrames(limits.queuedBytes());
		this.queued = new QueuedBytes(limits.queuedBytes());
		this.silenceNanos = context.connectionTimeout.multipliedBy(2).toNanos();
		this.bufferNanos = context.connectionTimeout.dividedBy(2).toNanos();
	}

	QueuedBytes queued() {
		return this.queued;
	}

	@Override
	public Msg allocate(int size) {
		boolean large = size >= LargeFrames.LARGE;
		// JeroMQ compares the length with the maximum before it truncates it to 32 bits.
		if (size < 0 || size - this.overhead > this.limits.maxMessageSize() || (large && !this.large.hasRoom(size))) {
			return new GuardedMessage(0, true, this);
		}
		try {
			GuardedMessage message = new GuardedMessage(size, false, this);
			if (large) {
				this.large.add(message);
			}
			return message;
		}
		catch (OutOfMemoryError ex) {
			this.context.fail(ex);
			return new GuardedMessage(0, true, this);
		}
	}

	@Override
	public void consume(ZEvent event) {
		switch (event.getEvent()) {
			case ACCEPTED -> opened(event.<SocketChannel>getValue(), event.getAddress(), true);
			case CONNECTED -> opened(event.<SocketChannel>getValue(), event.getAddress(), false);
			case DISCONNECTED -> closed(event.<SocketChannel>getValue());
			case HANDSHAKE_PROTOCOL -> {
				// JeroMQ does not identify the peer.
				synchronized (this) {
					this.greetings.add(this.ticker.nanos());
				}
				this.context.secure();
			}
			default -> {
			}
		}
		this.observer.accept(event);
	}

	@Override
	public void close() {
	}

	/**
	 * Returns the CURVE handshake of a connection.
	 * @return the handshake, or {@code null} if another socket has the connection
	 */
	@Nullable CurveHandshake handshake(SocketChannel channel) {
		Connection connection = find(channel);
		return (connection != null) ? handshake(connection) : null;
	}

	/** Returns the CURVE handshake of a connection. */
	CurveHandshake handshake(Connection connection) {
		CurveSecurity security = Objects.requireNonNull(this.security);
		connection.greeted = true;
		return connection.accepted ? new CurveServerHandshake(connection, security, this, this.type.name())
				: new CurveClientHandshake(connection, security, this, this.type.name());
	}

	@Override
	public boolean isCompatible(String peerType) {
		return switch (this.type) {
			case XPUB, PUB -> peerType.equals("SUB") || peerType.equals("XSUB");
			case XSUB, SUB -> peerType.equals("PUB") || peerType.equals("XPUB");
			default -> false;
		};
	}

	@Override
	public void secured(Connection connection, Bytes peer) {
		connection.peer = peer;
	}

	@Override
	public GuardedMessage decrypted(byte[] text, int offset, int size) {
		return new GuardedMessage(Arrays.copyOfRange(text, offset, offset + size), this);
	}

	@Override
	public boolean accepts(Metadata metadata, GuardedMessage message) {
		Connection connection = this.latest;
		if (metadata != this.latestMetadata || connection == null) {
			connection = find(metadata.get(Metadata.PEER_ADDRESS));
			this.latestMetadata = metadata;
			this.latest = connection;
		}
		if (connection == null || connection.closing) {
			return false;
		}
		if (!connection.proven) {
			synchronized (this) {
				connection.proven = true;
				this.unproven.remove(connection);
			}
		}
		if (message.isImpossible()) {
			return refuse(connection, Refusal.FRAME_LENGTH);
		}
		if (message.isDeclaredCommand()) {
			return false;
		}
		connection.frames++;
		if (connection.frames > this.limits.maxFrames() || (message.hasMore() && this.limits.maxFrames() == 1)) {
			return refuse(connection, Refusal.TOO_MANY_FRAMES);
		}
		boolean first = connection.frames == 1;
		if (!message.hasMore()) {
			connection.frames = 0;
		}
		if (this.limits.subscriptionBytes() > 0) {
			return subscribe(connection, message);
		}
		if (first) {
			connection.dropping = !this.queued.hasRoom();
			if (connection.dropping) {
				refused(connection, Refusal.QUEUE_FULL, "");
			}
		}
		if (!connection.dropping) {
			this.queued.add(message.size());
		}
		return !connection.dropping;
	}

	/** Handles a message to a publisher, and returns whether the socket receives it. */
	private boolean subscribe(Connection connection, Msg message) {
		byte type = (message.size() > 0) ? message.get(0) : -1;
		if (type != SUBSCRIBE && type != UNSUBSCRIBE) {
			return refuse(connection, Refusal.NO_SUBSCRIPTION);
		}
		byte[] prefix = new byte[message.size() - 1];
		message.getBytes(1, prefix, 0, prefix.length);
		long before = connection.subscriptionBytes;
		// JeroMQ fails an assertion if an unknown subscription is removed.
		boolean changed = connection.subscribe(Bytes.wrap(prefix), type == SUBSCRIBE);
		long total = addSubscriptionBytes(connection.subscriptionBytes - before);
		if (total > this.limits.subscriptionBytes()
				|| connection.subscriptionBytes > this.limits.subscriptionBytes() / SHARES) {
			return refuse(connection, Refusal.TOO_MANY_SUBSCRIPTIONS);
		}
		return changed;
	}

	/** Handles a new connection, and closes it if there are too many. */
	private synchronized void opened(SocketChannel channel, String endpoint, boolean accepted) {
		String address;
		try {
			address = Utils.getPeerIpAddress(channel).address();
		}
		catch (ZError.IOException | IllegalArgumentException | NullPointerException ex) {
			return;
		}
		long now = this.ticker.nanos();
		Connection connection = new Connection(channel, address, endpoint, accepted, now);
		boolean admitted = !accepted || makeRoom(address, now);
		this.open.put(channel, connection);
		this.byAddress.put(address, connection);
		if (accepted) {
			this.accepted++;
			this.unproven.add(connection);
		}
		if (!admitted) {
			refuse(connection, Refusal.TOO_MANY_CONNECTIONS);
		}
	}

	private boolean makeRoom(String address, long now) {
		removeOldGreetings(now);
		if (this.greetings.size() >= this.limits.maxConnections()
				|| (this.security != null && !this.handshakes.admits(address, now))) {
			return false;
		}
		if (this.accepted < this.limits.maxConnections()) {
			return true;
		}
		Iterator<Connection> oldest = this.unproven.iterator();
		if (!oldest.hasNext()) {
			return false;
		}
		refuse(oldest.next(), Refusal.TOO_MANY_CONNECTIONS);
		return true;
	}

	private void removeOldGreetings(long now) {
		for (Long oldest = this.greetings.peek(); oldest != null
				&& now - oldest > this.bufferNanos; oldest = this.greetings.peek()) {
			this.greetings.remove();
		}
	}

	/** Handles the end of a connection. */
	private synchronized void closed(SocketChannel channel) {
		Connection connection = this.open.remove(channel);
		if (connection != null) {
			if (endedWithoutCurve(connection)) {
				refused(connection, Refusal.NO_CURVE, "");
			}
			remove(connection);
		}
	}

	private boolean endedWithoutCurve(Connection connection) {
		return this.security != null && !connection.greeted && !connection.closing
				&& this.ticker.nanos() - connection.openedAt < UNMONITORED_NANOS
				&& !this.context.probes.contains(connection.address);
	}

	/** Returns the connection of a channel, or {@code null} if it is not known. */
	private synchronized @Nullable Connection find(SocketChannel channel) {
		return this.open.get(channel);
	}

	private void remove(Connection connection) {
		connection.closing = true;
		this.byAddress.remove(connection.address, connection);
		this.unproven.remove(connection);
		this.subscriptionBytes -= connection.subscriptionBytes;
		this.accepted -= connection.accepted ? 1 : 0;
	}

	/** Returns the connection of an address, or {@code null} if it was closed. */
	private synchronized @Nullable Connection find(@Nullable String address) {
		return this.byAddress.get(address);
	}

	/** Adds to the memory of all subscriptions, and returns the sum. */
	private synchronized long addSubscriptionBytes(long bytes) {
		this.subscriptionBytes += bytes;
		return this.subscriptionBytes;
	}

	/** Closes a connection, counts the reason, and returns {@code false}. */
	private synchronized boolean refuse(Connection connection, Refusal refusal) {
		this.unproven.remove(connection);
		connection.close();
		refused(connection, refusal, "");
		return false;
	}

	@Override
	public void refused(Connection connection, Refusal refusal, String detail) {
		this.context.refusals.add(refusal, this.socket, connection.address, detail);
	}

	/** Closes silent connections. Must be called periodically. */
	synchronized void sweep() {
		long now = this.ticker.nanos();
		removeOldGreetings(now);
		Iterator<Connection> oldest = this.unproven.iterator();
		while (oldest.hasNext()) {
			Connection connection = oldest.next();
			if (now - connection.openedAt < this.silenceNanos) {
				break;
			}
			oldest.remove();
			connection.close();
			refused(connection, Refusal.SILENT, "");
		}
		if (this.security != null) {
			this.open.values().forEach((connection) -> checkPeer(connection, this.security, now));
		}
		// JeroMQ does not report connections that this side closed.
		this.open.values().removeIf((connection) -> {
			if (connection.channel.isOpen()) {
				return false;
			}
			remove(connection);
			return true;
		});
	}

	private void checkPeer(Connection connection, CurveSecurity security, long now) {
		if (connection.closing) {
			return;
		}
		Bytes peer = connection.peer;
		if (peer == null && now - connection.openedAt >= HANDSHAKE_NANOS) {
			connection.close();
			refused(connection, Refusal.HANDSHAKE_TIMEOUT, "");
		}
		else if (peer != null && !security.isKnown(peer)) {
			connection.close();
			refused(connection, Refusal.REMOVED, Z85.encode(peer));
		}
	}

}
