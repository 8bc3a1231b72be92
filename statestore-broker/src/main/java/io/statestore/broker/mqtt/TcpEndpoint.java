package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
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
 * TCP endpoint of the broker. Accepts connections, counts them, and passes them on with
 * TLS and a {@link ConnectGuard}. Thread-safe.
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

	/** The open connections. */
	private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	/** Whether the listener outlives this endpoint. */
	private final boolean shared;

	private final TcpListener listener;

	private volatile boolean paused;

	private TcpEndpoint(MqttBrokerSettings settings, MemoryBudget budget, BiConsumer<Channel, ClientShare> receiver,
			@Nullable TcpListener shared) {
		this.maxConnectSize = settings.maxConnectSize();
		this.budget = budget;
		this.receiver = receiver;
		this.counts = new ConnectionCounts(settings.network());
		this.tls = (settings.network().tls() != null) ? new TlsAcceptor(settings.network().tls()) : null;
		this.shared = shared != null;
		try {
			this.listener = (shared != null) ? shared
					: TcpListener.open(settings.host(), settings.port(), this::accept);
		}
		catch (IllegalStateException ex) {
			if (this.tls != null) {
				this.tls.close();
			}
			throw ex;
		}
		if (this.tls != null) {
			this.tls.setSocket(this.listener.socket());
		}
	}

	/**
	 * Opens an endpoint.
	 * @param settings host, port, TLS, and limits of connections
	 * @param budget limits the memory of clients
	 * @param receiver takes over each connection, on its event loop. Throws an
	 * {@link IllegalStateException} to refuse it
	 * @return the endpoint, which accepts connections
	 * @throws IllegalStateException if the address is not available
	 */
	static TcpEndpoint listen(MqttBrokerSettings settings, MemoryBudget budget,
			BiConsumer<Channel, ClientShare> receiver) {
		return new TcpEndpoint(settings, budget, receiver, null);
	}

	/**
	 * Opens an endpoint that listens on no socket, but receives connections that another
	 * component has accepted.
	 * @param listener the socket of clients, which the endpoint does not close
	 * @param settings TLS, and limits of connections
	 * @param budget limits the memory of clients
	 * @param receiver takes over each connection, on its event loop. Throws an
	 * {@link IllegalStateException} to refuse it
	 * @return the endpoint
	 */
	static TcpEndpoint behind(TcpListener listener, MqttBrokerSettings settings, MemoryBudget budget,
			BiConsumer<Channel, ClientShare> receiver) {
		return new TcpEndpoint(settings, budget, receiver, listener);
	}

	/**
	 * Prepares a connection and passes it to the receiver.
	 * @param channel an open connection without handlers of a client; called on its event
	 * loop
	 */
	void accept(Channel channel) {
		this.connections.add(channel);
		// In this order, so that a concurrent end closes it.
		if (this.paused) {
			channel.close();
			return;
		}
		OpenConnection connection = this.counts.add(channel);
		if (connection == null) {
			channel.close();
			return;
		}
		ClientShare memory = this.budget.open();
		channel.closeFuture().addListener((closed) -> memory.close());
		try {
			if (this.tls != null && !secure(channel, connection, memory, this.tls)) {
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
	private boolean secure(Channel channel, OpenConnection connection, ClientShare memory, TlsAcceptor tls) {
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

	/** Returns the number of connections and their failures. */
	ConnectionStatistics statistics() {
		return new ConnectionStatistics(this.counts.open(), this.counts.refused(),
				(this.tls != null) ? this.tls.failures() : 0);
	}

	/** Stops accepting connections. Open connections continue. */
	void pause() {
		this.paused = true;
		if (!this.shared) {
			this.listener.socket().close().awaitUninterruptibly();
		}
	}

	/**
	 * Stops listening, without waiting.
	 * @param stopped runs when the endpoint no longer listens
	 */
	void abort(Runnable stopped) {
		this.paused = true;
		if (this.shared) {
			stopped.run();
		}
		else {
			this.listener.socket().close().addListener((closed) -> stopped.run());
		}
	}

	/**
	 * Closes all connections without a DISCONNECT, and waits until they are closed and
	 * their handlers have ended. The event loops continue.
	 */
	void closeConnections() {
		pause();
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_CLOSE_SECONDS);
		// A connection that has been accepted is added by a task.
		boolean waited = this.listener.awaitTasks(deadline);
		ChannelGroupFuture closed = this.connections.newCloseFuture();
		for (Channel connection : this.connections) {
			// Past the handlers, which wait for the last bytes from TLS clients.
			connection.eventLoop().execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
		}
		// Netty completes the future of a channel before it calls the handlers, with a
		// task that the first wait may precede.
		if (!waited || !closed.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
				|| !this.listener.awaitTasks(deadline) || !this.listener.awaitTasks(deadline)) {
			logger.warn("Some connections did not close within {} seconds; stopping without them", MAX_CLOSE_SECONDS);
		}
	}

	/** Ends the event loops, after {@link #closeConnections()}. */
	void close() {
		pause();
		if (!this.shared) {
			this.listener.close();
		}
		if (this.tls != null) {
			this.tls.close();
		}
		if (this.shared) {
			// Handshakes that no longer run may have suspended it.
			Channel socket = this.listener.socket();
			socket.eventLoop().execute(() -> socket.config().setAutoRead(true));
		}
	}

}
