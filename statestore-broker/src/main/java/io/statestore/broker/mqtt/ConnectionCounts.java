package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.statestore.broker.security.AddressGroup;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Counts and limits open connections by address. If an address has too many connections
 * without a complete CONNECT, a new connection replaces the oldest of these that is
 * waiting for its client. Slow clients therefore do not lock out others at their address.
 * Thread-safe.
 */
final class ConnectionCounts {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectionCounts.class));

	/** Connections, by {@linkplain AddressGroup group} of addresses. */
	private final Map<String, Peer> peers = new HashMap<>();

	/** Connections without a complete CONNECT, from oldest to newest. */
	private final Set<OpenConnection> unfinished = new LinkedHashSet<>();

	private final int maxPerAddress;

	private final int maxUnfinishedPerAddress;

	private int open;

	private long refused;

	ConnectionCounts(NetworkSettings settings) {
		this.maxPerAddress = settings.maxConnectionsPerAddress();
		this.maxUnfinishedPerAddress = settings.maxUnfinishedPerAddress();
	}

	/**
	 * Counts a new connection until it is closed.
	 * @param channel the connection
	 * @return the connection, or {@code null} if its address has too many connections and
	 * the caller must close this one
	 */
	@Nullable OpenConnection add(Channel channel) {
		InetAddress address = ClientAddress.host(channel);
		if (address == null) {
			// The connection is already closed.
			return null;
		}
		OpenConnection connection;
		OpenConnection replaced;
		int openOfAddress;
		synchronized (this) {
			Peer peer = this.peers.computeIfAbsent(AddressGroup.of(address), Peer::new);
			openOfAddress = peer.open;
			boolean crowded = peer.unfinished.size() >= this.maxUnfinishedPerAddress;
			boolean full = peer.open >= this.maxPerAddress;
			replaced = (crowded && !full) ? oldestIdle(peer.unfinished, null) : null;
			connection = (full || crowded && replaced == null) ? null : new OpenConnection(channel, address, peer);
			if (connection != null) {
				peer.open++;
				this.open++;
				peer.unfinished.add(connection);
				this.unfinished.add(connection);
			}
			if (connection == null || replaced != null) {
				this.refused++;
			}
			if (replaced != null) {
				finished(replaced);
			}
		}
		if (connection == null) {
			clientLog.warn(
					"Refused a connection from {}: {} connections of this address are open, or too many of them "
							+ "have not sent a CONNECT. If this is expected, raise --max-connections-per-address",
					address.getHostAddress(), openOfAddress);
			return null;
		}
		channel.closeFuture().addListener((closed) -> remove(connection));
		if (replaced != null) {
			replaced.abortUnfinished();
		}
		return connection;
	}

	/**
	 * Closes a connection because memory is exhausted: from any address, the oldest
	 * connection without a complete CONNECT that is waiting for its client.
	 * @param added the connection that needs memory. The caller must close it if there is
	 * no other
	 * @return whether another connection was closed
	 */
	boolean closeOldestUnfinished(OpenConnection added) {
		OpenConnection oldest;
		synchronized (this) {
			this.refused++;
			oldest = oldestIdle(this.unfinished, added);
			if (oldest != null) {
				finished(oldest);
			}
		}
		if (oldest != null) {
			oldest.abortUnfinished();
		}
		return oldest != null;
	}

	/**
	 * Returns the oldest connection that is waiting for its client rather than for the
	 * broker.
	 */
	private static @Nullable OpenConnection oldestIdle(Set<OpenConnection> connections,
			@Nullable OpenConnection except) {
		for (OpenConnection connection : connections) {
			if (connection != except && !connection.busy) {
				return connection;
			}
		}
		return null;
	}

	/** Handles a complete CONNECT. */
	synchronized void finished(OpenConnection connection) {
		this.unfinished.remove(connection);
		connection.peer.unfinished.remove(connection);
	}

	private synchronized void remove(OpenConnection connection) {
		finished(connection);
		this.open--;
		if (--connection.peer.open == 0) {
			this.peers.remove(connection.peer.group);
		}
	}

	/** Returns the number of open connections. */
	synchronized int open() {
		return this.open;
	}

	/** Returns the number of connections that were closed because of a limit. */
	synchronized long refused() {
		return this.refused;
	}

	/** The connections from one group of addresses. */
	private static final class Peer {

		private final String group;

		private final Set<OpenConnection> unfinished = new LinkedHashSet<>();

		private int open;

		Peer(String group) {
			this.group = group;
		}

	}

	/** An open connection. Thread-safe. */
	static final class OpenConnection {

		private final Channel channel;

		private final InetAddress address;

		private final Peer peer;

		private volatile boolean busy;

		private OpenConnection(Channel channel, InetAddress address, Peer peer) {
			this.channel = channel;
			this.address = address;
			this.peer = peer;
		}

		InetAddress address() {
			return this.address;
		}

		/** Sets whether the connection is waiting for a broker thread. */
		void setBusy(boolean busy) {
			this.busy = busy;
		}

		private void abortUnfinished() {
			clientLog.warn("Closed a connection from {} that had not sent a complete CONNECT: too many are open",
					this.address.getHostAddress());
			abort();
		}

		/** Closes the connection immediately, without notifying the client. */
		void abort() {
			ChannelHandlerContext first = this.channel.pipeline().firstContext();
			if (first != null) {
				// Bypasses the TLS handler, which would wait until its last record is
				// sent.
				first.close();
			}
			else {
				this.channel.close();
			}
		}

	}

}
