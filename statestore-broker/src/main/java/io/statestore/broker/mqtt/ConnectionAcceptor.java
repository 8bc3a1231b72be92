package io.statestore.broker.mqtt;

import java.util.function.BiConsumer;

import io.netty.channel.Channel;
import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ConnectionStatistics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares accepted connections: counts them, and adds TLS and a {@link ConnectGuard}
 * from their first byte on. Thread-safe.
 */
final class ConnectionAcceptor implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionAcceptor.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private final int maxConnectSize;

	private final MemoryBudget budget;

	private final BiConsumer<Channel, ClientShare> receiver;

	private final ConnectionCounts counts;

	/** {@code null} for plain TCP. */
	private final @Nullable TlsAcceptor tls;

	/**
	 * Creates an acceptor.
	 * @param settings TLS, limits, and maximum size of a CONNECT
	 * @param budget limits the memory of clients
	 * @param receiver takes over each connection, on its event loop. Throws an
	 * {@link IllegalStateException} to refuse it
	 */
	ConnectionAcceptor(MqttBrokerSettings settings, MemoryBudget budget, BiConsumer<Channel, ClientShare> receiver) {
		this.maxConnectSize = settings.maxConnectSize();
		this.budget = budget;
		this.receiver = receiver;
		this.counts = new ConnectionCounts(settings.network());
		this.tls = (settings.network().tls() != null) ? new TlsAcceptor(settings.network().tls()) : null;
	}

	/**
	 * Suspends a listening socket while too many handshakes wait. Further clients wait in
	 * its queue instead of being refused.
	 * @param socket the listening socket
	 */
	void listenTo(Channel socket) {
		if (this.tls != null) {
			this.tls.setSocket(socket);
		}
	}

	/**
	 * Prepares a connection and passes it to the receiver.
	 * @param channel an open connection without handlers of a client; called on its event
	 * loop
	 */
	void accept(Channel channel) {
		OpenConnection connection = this.counts.add(channel);
		if (connection == null) {
			channel.close();
			return;
		}
		ClientShare memory = this.budget.open();
		channel.closeFuture().addListener((closed) -> memory.close());
		try {
			if (this.tls != null && !secure(channel, connection, memory)) {
				channel.close();
				return;
			}
		}
		catch (RuntimeException ex) {
			clientLog.warn("Refused a connection: the certificate of the broker is not usable: {}", ex);
			channel.close();
			return;
		}
		channel.pipeline().addLast(new ConnectGuard(this.maxConnectSize, memory, () -> finished(connection, memory)));
		try {
			this.receiver.accept(channel, memory);
		}
		catch (IllegalStateException ex) {
			// The connection arrived while the broker was stopping.
			logger.debug("Refused a connection from {}", ClientAddress.of(channel), ex);
			channel.close();
		}
	}

	/** Adds TLS, and returns whether there is memory for the handshake. */
	private boolean secure(Channel channel, OpenConnection connection, ClientShare memory) {
		if (this.tls == null) {
			return true;
		}
		if (!memory.tryReserve(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST)) {
			if (!this.counts.closeOldestUnfinished(connection)) {
				clientLog.warn(
						"Refused a connection from {}: the memory for TLS handshakes is exhausted. "
								+ Limits.RAISE_MEMORY,
						connection.address().getHostAddress(), this.budget.largestHolder());
				return false;
			}
			// The other connection releases as much when its event loop has closed it.
			memory.reserve(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST);
		}
		this.tls.secure(channel, connection);
		return true;
	}

	private void finished(OpenConnection connection, ClientShare memory) {
		this.counts.finished(connection);
		if (this.tls != null) {
			memory.release(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST);
		}
	}

	/** Returns the number of connections and their failures. */
	ConnectionStatistics statistics() {
		return new ConnectionStatistics(this.counts.open(), this.counts.refused(),
				(this.tls != null) ? this.tls.failures() : 0);
	}

	/** Ends the threads. To be called after the end of all connections. */
	@Override
	public void close() {
		if (this.tls != null) {
			this.tls.close();
		}
	}

}
