package io.statestore.dafka.node.internal;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Ticker;
import org.jspecify.annotations.Nullable;
import zmq.ZError;
import zmq.util.Utils;

/**
 * Connections of a socket. Limits their number, and closes those that send nothing. Safe
 * for the I/O thread and the owner of the socket.
 */
final class Connections {

	/** Time within which a CURVE handshake must end. */
	static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Time after which JeroMQ gives up a connection that it does not monitor. */
	private static final long UNMONITORED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_900);

	private final String socket;

	private final SocketLimits limits;

	private final Refusals refusals;

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

	private final IoThreadProbe.Ports probes;

	private int accepted;

	private long subscriptionBytes;

	/**
	 * Creates an empty set of connections.
	 * @param socket name of the socket, for the log
	 * @param connectionTimeout inactivity after which a connection is closed
	 */
	Connections(String socket, SocketLimits limits, Refusals refusals, Duration connectionTimeout, Ticker ticker,
			@Nullable CurveSecurity security, IoThreadProbe.Ports probes) {
		this.security = security;
		this.probes = probes;
		this.socket = socket;
		this.limits = limits;
		this.refusals = refusals;
		this.ticker = ticker;
		this.silenceNanos = connectionTimeout.multipliedBy(2).toNanos();
		this.bufferNanos = connectionTimeout.dividedBy(2).toNanos();
	}

	/** Handles a new connection, and closes it if there are too many. */
	synchronized void opened(SocketChannel channel, String endpoint, boolean accepted) {
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

	/** Handles the greeting of a peer. JeroMQ does not report which peer it is. */
	synchronized void greeted() {
		this.greetings.add(this.ticker.nanos());
	}

	/** Handles the first message or heartbeat of a connection. */
	synchronized void proven(Connection connection) {
		connection.proven = true;
		this.unproven.remove(connection);
	}

	/** Handles the end of a connection. */
	synchronized void closed(SocketChannel channel) {
		Connection connection = this.open.remove(channel);
		if (connection != null) {
			if (endedWithoutCurve(connection)) {
				count(Refusal.NO_CURVE, connection);
			}
			remove(connection);
		}
	}

	private boolean endedWithoutCurve(Connection connection) {
		return this.security != null && !connection.greeted && !connection.closing
				&& this.ticker.nanos() - connection.openedAt < UNMONITORED_NANOS
				&& !this.probes.contains(connection.address);
	}

	/** Returns the connection of a channel, or {@code null} if it is not known. */
	synchronized @Nullable Connection find(SocketChannel channel) {
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
	synchronized @Nullable Connection find(@Nullable String address) {
		return this.byAddress.get(address);
	}

	/** Adds to the memory of all subscriptions, and returns the sum. */
	synchronized long addSubscriptionBytes(long bytes) {
		this.subscriptionBytes += bytes;
		return this.subscriptionBytes;
	}

	/** Closes a connection, and counts the reason. */
	synchronized void refuse(Connection connection, Refusal refusal) {
		this.unproven.remove(connection);
		connection.close();
		count(refusal, connection);
	}

	void count(Refusal refusal, Connection connection) {
		count(refusal, connection, "");
	}

	void count(Refusal refusal, Connection connection, String detail) {
		this.refusals.add(refusal, this.socket, connection.address, detail);
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
			count(Refusal.SILENT, connection);
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
			count(Refusal.HANDSHAKE_TIMEOUT, connection);
		}
		else if (peer != null && !security.isKnown(peer)) {
			connection.close();
			count(Refusal.REMOVED, connection, Z85.encode(peer));
		}
	}

}
