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
 * Open connections by address, with their limits. If an address has too many connections
 * without a complete CONNECT, a new one replaces the oldest of them that waits for its
 * client, so that slow clients do not lock out others at their address. Thread-safe.
 */
final class ConnectionCounts {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectionCounts.class));

	/** By {@linkplain AddressGroup group} of addresses. */
	private final Map<String, Peer> peers = new HashMap<>();

	/** Connections without a complete CONNECT, the oldest first. */
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
	 * @return the connection, or {@code null} if its address has too many: the caller
	 * closes it
	 */
	@Nullable OpenConnection add(Channel channel) {
		InetAddress address = ClientAddress.host(channel);
		if (address == null) {
			// Closed already.
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
	 * Closes a connection for lack of memory: the oldest one without a complete CONNECT,
	 * of any address, that waits for its client.
	 * @param added the connection that needs memory. To be closed by the caller if there
	 * is no other
	 * @return whether there is another one
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

	/** Returns the oldest connection that waits for its client, not for the broker. */
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

	/** Returns the number of connections closed because of a limit. */
	synchronized long refused() {
		return this.refused;
	}

	/** The connections of one group of addresses. */
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

		/** Sets whether the connection waits for a thread of the broker. */
		void setBusy(boolean busy) {
			this.busy = busy;
		}

		private void abortUnfinished() {
			clientLog.warn("Closed a connection from {} that had not sent a complete CONNECT: too many are open",
					this.address.getHostAddress());
			abort();
		}

		/** Closes the connection at once, without a message to the client. */
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
