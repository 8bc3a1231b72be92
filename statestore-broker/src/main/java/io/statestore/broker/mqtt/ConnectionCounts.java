package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.netty.channel.Channel;
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

	private final ReentrantLock lock = new ReentrantLock();

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
		String group = AddressGroup.of(address);
		OpenConnection connection = new OpenConnection(channel, address, group);
		OpenConnection replaced;
		this.lock.lock();
		try {
			Peer peer = this.peers.computeIfAbsent(group, (added) -> new Peer());
			replaced = (peer.unfinished.size() >= this.maxUnfinishedPerAddress) ? idle(peer.unfinished) : null;
			if (peer.open >= this.maxPerAddress
					|| (replaced == null && peer.unfinished.size() >= this.maxUnfinishedPerAddress)) {
				this.refused++;
				replaced = null;
				connection = null;
			}
			else {
				peer.open++;
				this.open++;
				addUnfinished(connection);
				if (replaced != null) {
					this.refused++;
					removeUnfinished(replaced);
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		if (connection == null) {
			clientLog.warn(
					"Refused a connection from {}: {} connections of this address are open, or too many of them "
							+ "have not sent a CONNECT. If this is expected, raise --max-connections-per-address, or "
							+ "statestore.embedded.max-connections-per-address",
					address.getHostAddress(), openFrom(group));
			return null;
		}
		OpenConnection added = connection;
		channel.closeFuture().addListener((closed) -> remove(added));
		if (replaced != null) {
			close(replaced);
		}
		return added;
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
		this.lock.lock();
		try {
			this.refused++;
			removeUnfinished(added);
			oldest = idle(this.unfinished);
			if (oldest != null) {
				removeUnfinished(oldest);
				addUnfinished(added);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (oldest != null) {
			close(oldest);
		}
		return oldest != null;
	}

	private void addUnfinished(OpenConnection connection) {
		Peer peer = this.peers.get(connection.group());
		if (peer != null) {
			peer.unfinished.add(connection);
			this.unfinished.add(connection);
		}
	}

	private static void close(OpenConnection connection) {
		clientLog.warn("Closed a connection from {} that had not sent a complete CONNECT: too many are open",
				connection.address().getHostAddress());
		connection.abort();
	}

	/** Returns the oldest connection that waits for its client. */
	private static @Nullable OpenConnection idle(Set<OpenConnection> connections) {
		for (OpenConnection connection : connections) {
			if (!connection.isBusy()) {
				return connection;
			}
		}
		return null;
	}

	/** Handles a complete CONNECT. */
	void finished(OpenConnection connection) {
		this.lock.lock();
		try {
			removeUnfinished(connection);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void removeUnfinished(OpenConnection connection) {
		if (this.unfinished.remove(connection)) {
			Peer peer = this.peers.get(connection.group());
			if (peer != null) {
				peer.unfinished.remove(connection);
			}
		}
	}

	private void remove(OpenConnection connection) {
		this.lock.lock();
		try {
			removeUnfinished(connection);
			this.open--;
			Peer peer = this.peers.get(connection.group());
			if (peer != null && --peer.open == 0) {
				this.peers.remove(connection.group());
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private int openFrom(String group) {
		this.lock.lock();
		try {
			Peer peer = this.peers.get(group);
			return (peer != null) ? peer.open : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns the number of open connections. */
	int open() {
		this.lock.lock();
		try {
			return this.open;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns the number of connections closed because of a limit. */
	long refused() {
		this.lock.lock();
		try {
			return this.refused;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The connections of one group of addresses. */
	private static final class Peer {

		private final Set<OpenConnection> unfinished = new LinkedHashSet<>();

		private int open;

	}

}
