package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ConnectionStatistics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's TCP endpoint. Accepts and counts connections, adds TLS and a
 * {@link ConnectGuard}, and passes them to a receiver. Thread-safe.
 */
final class TcpEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(TcpEndpoint.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final long MAX_CLOSE_SECONDS = 5;

	private final int maxConnectSize;

	private final MemoryBudget budget;

	private final BiConsumer<Channel, ClientShare> receiver;

	private final ConnectionCounts counts;

	/** {@code null} for plain TCP. */
	private final @Nullable TlsAcceptor tls;

	private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private final TcpListener listener;

	private volatile boolean paused;

	/**
	 * Opens an endpoint.
	 * @param settings host, port, TLS, and connection limits
	 * @param budget limits the memory of clients
	 * @param receiver receives each connection on its event loop. Throws an
	 * {@link IllegalStateException} to refuse it
	 * @param shared the {@linkplain TcpListener#shared() shared} client socket, whose
	 * connections another component accepts; {@code null} to listen on a new socket
	 * @throws IllegalStateException if the address is not available
	 */
	TcpEndpoint(MqttBrokerSettings settings, MemoryBudget budget, BiConsumer<Channel, ClientShare> receiver,
			@Nullable TcpListener shared) {
		this.maxConnectSize = settings.maxConnectSize();
		this.budget = budget;
		this.receiver = receiver;
		this.counts = new ConnectionCounts(settings.network());
		this.tls = (settings.network().tls() != null) ? new TlsAcceptor(settings.network().tls()) : null;
		this.listener = (shared != null) ? shared : TcpListener.open(settings.host(), settings.port(), this::accept);
		if (this.tls != null) {
			this.tls.setSocket(this.listener.socket());
		}
	}

	/**
	 * Prepares a connection and passes it to the receiver, or closes it. Called on the
	 * connection's event loop.
	 * @param channel an open connection without client handlers
	 */
	void accept(Channel channel) {
		this.connections.add(channel);
		// The connection is added before the check so that a concurrent stop closes it.
		OpenConnection connection = this.paused ? null : this.counts.add(channel);
		if (connection == null || !pass(channel, connection)) {
			channel.close();
		}
	}

	private boolean pass(Channel channel, OpenConnection connection) {
		ClientShare memory = this.budget.open();
		channel.closeFuture().addListener((closed) -> memory.close());
		try {
			if (this.tls != null && !secure(channel, connection, memory, this.tls)) {
				return false;
			}
		}
		catch (RuntimeException ex) {
			clientLog.warn("Refused a connection, because the broker's certificate cannot be used: {}. Check the "
					+ "certificate and its key", ex);
			return false;
		}
		channel.pipeline().addLast(new ConnectGuard(this.maxConnectSize, memory, () -> finished(connection, memory)));
		try {
			this.receiver.accept(channel, memory);
			return true;
		}
		catch (IllegalStateException ex) {
			// The connection arrived while the broker was stopping.
			logger.debug("Refused a connection from {}", ClientAddress.of(channel), ex);
			return false;
		}
	}

	/** Adds TLS and returns whether there is memory for the handshake. */
	private boolean secure(Channel channel, OpenConnection connection, ClientShare memory, TlsAcceptor tls) {
		if (!memory.tryReserve(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST)) {
			if (!this.counts.closeOldestUnfinished(connection)) {
				clientLog.warn(
						"Refused a connection from {}: the memory for TLS handshakes is exhausted. "
								+ Limits.RAISE_MEMORY,
						connection.address().getHostAddress(), this.budget.largestHolder());
				return false;
			}
			// The other connection will release the same amount once its event loop has
			// closed it.
			memory.reserve(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST);
		}
		tls.secure(channel, connection);
		return true;
	}

	private void finished(OpenConnection connection, ClientShare memory) {
		this.counts.finished(connection);
		if (this.tls != null) {
			memory.release(MemoryUse.CONNECTING, TlsAcceptor.CONNECTION_COST);
		}
	}

	/** Returns the TCP port. */
	int port() {
		return this.listener.port();
	}

	/** Returns the numbers of connections and connection failures. */
	ConnectionStatistics statistics() {
		return new ConnectionStatistics(this.counts.open(), this.counts.refused(),
				(this.tls != null) ? this.tls.failures() : 0);
	}

	/**
	 * Stops accepting connections. Open connections continue.
	 * @return a future that completes once the endpoint no longer listens
	 */
	Future<?> pause() {
		this.paused = true;
		return this.listener.stop();
	}

	/**
	 * Closes all connections without a DISCONNECT, and waits until they are closed and
	 * their handlers have finished. The event loops continue to run.
	 */
	void closeConnections() {
		pause().awaitUninterruptibly();
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_CLOSE_SECONDS);
		// A connection that has been accepted is added by a task.
		boolean waited = this.listener.awaitTasks(deadline);
		ChannelGroupFuture closed = this.connections.newCloseFuture();
		for (Channel connection : this.connections) {
			// Bypasses the handlers, which would wait for the last bytes from TLS
			// clients.
			connection.eventLoop().execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
		}
		// Netty completes a channel's close future before a task calls its handlers. A
		// single wait may end before that task is queued, so wait twice.
		if (!waited || !closed.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
				|| !this.listener.awaitTasks(deadline) || !this.listener.awaitTasks(deadline)) {
			logger.warn("Some connections did not close within {} seconds; stopping without them", MAX_CLOSE_SECONDS);
		}
	}

	/** Shuts down the event loops. Must be called after {@link #closeConnections()}. */
	void close() {
		pause().awaitUninterruptibly();
		if (this.tls != null) {
			this.tls.close();
		}
		this.listener.close();
	}

}
