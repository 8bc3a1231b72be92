package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ConnectionStatistics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP endpoint of the broker. Accepts connections and passes them on, prepared by a
 * {@link ConnectionAcceptor}. Thread-safe.
 */
final class TcpEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(TcpEndpoint.class);

	private static final long MAX_CLOSE_SECONDS = 5;

	private final TcpListener listener;

	/** Whether the listener outlives this endpoint. */
	private final boolean shared;

	private final ConnectionAcceptor acceptor;

	/** The open connections. */
	private final ChannelGroup connections;

	private volatile boolean paused;

	private TcpEndpoint(TcpListener listener, boolean shared, ConnectionAcceptor acceptor, ChannelGroup connections) {
		this.listener = listener;
		this.shared = shared;
		this.acceptor = acceptor;
		this.connections = connections;
		acceptor.listenTo(listener.socket());
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
		ConnectionAcceptor acceptor = new ConnectionAcceptor(settings, budget, receiver);
		ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
		try {
			TcpListener listener = TcpListener.open(settings.host(), settings.port(), (connection) -> {
				connections.add(connection);
				acceptor.accept(connection);
			});
			return new TcpEndpoint(listener, false, acceptor, connections);
		}
		catch (IllegalStateException ex) {
			acceptor.close();
			throw ex;
		}
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
		return new TcpEndpoint(listener, true, new ConnectionAcceptor(settings, budget, receiver),
				new DefaultChannelGroup(GlobalEventExecutor.INSTANCE));
	}

	/**
	 * Takes over a connection. Call this on its event loop.
	 * @param connection an open connection
	 */
	void accept(Channel connection) {
		this.connections.add(connection);
		// In this order, so that a concurrent end closes it.
		if (this.paused) {
			connection.close();
		}
		else {
			this.acceptor.accept(connection);
		}
	}

	/** Returns the TCP port. */
	int port() {
		return this.listener.port();
	}

	/** Returns the number of connections and their failures. */
	ConnectionStatistics statistics() {
		return this.acceptor.statistics();
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
		this.acceptor.close();
		if (this.shared) {
			// Handshakes that no longer run may have suspended it.
			Channel socket = this.listener.socket();
			socket.eventLoop().execute(() -> socket.config().setAutoRead(true));
		}
	}

}
