package io.statestore.dafka.node.internal;

import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.function.Consumer;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZEvent;
import zmq.Msg;
import zmq.io.Metadata;

/**
 * Checks each frame from a peer before the socket receives it. Called by the I/O thread.
 * Never throws, because JeroMQ's decoder loops without end after an exception.
 */
final class ConnectionGuard implements ZEvent.ZEventConsummer, GuardedMessage.Check, CurveHandshake.Events {

	private static final byte UNSUBSCRIBE = 0;

	private static final byte SUBSCRIBE = 1;

	/** A connection may use one of this many parts of the memory for subscriptions. */
	private static final int SHARES = 4;

	private final SocketLimits limits;

	private final Connections connections;

	private final LargeFrames large;

	private final QueuedBytes queued;

	private final SocketType type;

	/** Number of bytes by which an encrypted frame may exceed the maximum. */
	private final int overhead;

	/** Called when a greeting of any connection has ended. */
	private final Runnable greeted;

	private final Consumer<ZEvent> observer;

	private final Consumer<Throwable> failure;

	private @Nullable Metadata latestMetadata;

	private @Nullable Connection latest;

	/**
	 * Creates a guard.
	 * @param type type of the socket
	 * @param encrypted whether frames are encrypted
	 * @param greeted called when a greeting of any connection has ended
	 * @param limits limits of the socket
	 * @param connections connections of the socket
	 * @param observer also receives all events
	 * @param failure receives an error that ends the node
	 */
	ConnectionGuard(SocketType type, boolean encrypted, Runnable greeted, SocketLimits limits, Connections connections,
			Consumer<ZEvent> observer, Consumer<Throwable> failure) {
		this.type = type;
		this.overhead = encrypted ? CurveHandshake.FRAME_OVERHEAD : 0;
		this.greeted = greeted;
		this.limits = limits;
		this.connections = connections;
		this.large = new LargeFrames(limits.queuedBytes());
		this.queued = new QueuedBytes(limits.queuedBytes());
		this.observer = observer;
		this.failure = failure;
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
			this.failure.accept(ex);
			return new GuardedMessage(0, true, this);
		}
	}

	@Override
	public void consume(ZEvent event) {
		switch (event.getEvent()) {
			case ACCEPTED -> this.connections.opened(event.<SocketChannel>getValue(), event.getAddress(), true);
			case CONNECTED -> this.connections.opened(event.<SocketChannel>getValue(), event.getAddress(), false);
			case DISCONNECTED -> this.connections.closed(event.<SocketChannel>getValue());
			case HANDSHAKE_PROTOCOL -> {
				this.connections.greeted();
				this.greeted.run();
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
	@Nullable CurveHandshake handshake(SocketChannel channel, CurveSecurity security) {
		Connection connection = this.connections.find(channel);
		return (connection != null) ? handshake(connection, security) : null;
	}

	/** Returns the CURVE handshake of a connection. */
	CurveHandshake handshake(Connection connection, CurveSecurity security) {
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
	public void refused(Connection connection, Refusal refusal, String detail) {
		this.connections.count(refusal, connection, detail);
	}

	@Override
	public GuardedMessage decrypted(byte[] text, int offset, int size) {
		return new GuardedMessage(Arrays.copyOfRange(text, offset, offset + size), this);
	}

	@Override
	public boolean accepts(Metadata metadata, GuardedMessage message) {
		Connection connection = this.latest;
		if (metadata != this.latestMetadata || connection == null) {
			connection = this.connections.find(metadata.get(Metadata.PEER_ADDRESS));
			this.latestMetadata = metadata;
			this.latest = connection;
		}
		if (connection == null || connection.closing) {
			return false;
		}
		if (!connection.proven) {
			this.connections.proven(connection);
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
				this.connections.count(Refusal.QUEUE_FULL, connection);
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
		Bytes subscription = Bytes.wrap(prefix);
		long before = connection.subscriptionBytes;
		// JeroMQ fails an assertion if an unknown subscription is removed.
		boolean changed = (type == SUBSCRIBE) ? connection.subscribe(subscription)
				: connection.unsubscribe(subscription);
		long total = this.connections.addSubscriptionBytes(connection.subscriptionBytes - before);
		if (total > this.limits.subscriptionBytes()
				|| connection.subscriptionBytes > this.limits.subscriptionBytes() / SHARES) {
			return refuse(connection, Refusal.TOO_MANY_SUBSCRIPTIONS);
		}
		return changed;
	}

	private boolean refuse(Connection connection, Refusal refusal) {
		this.connections.refuse(connection, refusal);
		return false;
	}

}
