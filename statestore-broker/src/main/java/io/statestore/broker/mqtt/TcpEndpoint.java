package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ConnectionStatistics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP endpoint of the broker. Accepts connections and passes them to Artemis, prepared by
 * a {@link ConnectionAcceptor}. Thread-safe.
 */
final class TcpEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(TcpEndpoint.class);

	private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	private static final long MAX_SHUTDOWN_MILLIS = 200;

	private static final long MAX_CLOSE_SECONDS = 5;

	private final EventLoopGroup eventLoops;

	private final ConnectionAcceptor acceptor;

	/** The open connections. */
	private final ChannelGroup connections;

	private final Channel channel;

	private final int port;

	private TcpEndpoint(EventLoopGroup eventLoops, ConnectionAcceptor acceptor, ChannelGroup connections,
			Channel channel) {
		this.eventLoops = eventLoops;
		this.acceptor = acceptor;
		this.connections = connections;
		this.channel = channel;
		this.port = ((InetSocketAddress) channel.localAddress()).getPort();
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
		// One loop for each processor. More loops are no faster, and messages from one
		// client to another, such as notifications, change threads more often.
		EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(),
				new DefaultThreadFactory("statestore-mqtt", true), NioIoHandler.newFactory());
		ChannelFuture bound = new ServerBootstrap().group(eventLoops)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.SO_KEEPALIVE, true)
			.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel connection) {
					connections.add(connection);
					acceptor.accept(connection);
				}
			})
			.bind(new InetSocketAddress(settings.host(), settings.port()))
			.awaitUninterruptibly();
		if (!bound.isSuccess()) {
			bound.channel().close().awaitUninterruptibly();
			shutDown(eventLoops);
			acceptor.close();
			throw new IllegalStateException("The broker cannot listen on " + settings.host() + ':' + settings.port()
					+ ": " + reason(bound.cause()) + ". Stop the process that uses the port, or configure another host "
					+ "or port (0 selects a free port)", bound.cause());
		}
		acceptor.listenTo(bound.channel());
		return new TcpEndpoint(eventLoops, acceptor, connections, bound.channel());
	}

	private static String reason(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return (root.getMessage() != null) ? root.getMessage() : root.toString();
	}

	/** Returns the TCP port. */
	int port() {
		return this.port;
	}

	/** Returns the number of connections and their failures. */
	ConnectionStatistics statistics() {
		return this.acceptor.statistics();
	}

	/** Stops accepting connections. Open connections continue. */
	void pause() {
		this.channel.close().awaitUninterruptibly();
	}

	/**
	 * Stops listening, without waiting.
	 * @param stopped runs when the endpoint no longer listens
	 */
	void abort(Runnable stopped) {
		this.channel.close().addListener((closed) -> stopped.run());
	}

	/**
	 * Closes all connections without a DISCONNECT, and waits until they are closed and
	 * their handlers have ended. The event loops continue.
	 */
	void closeConnections() {
		pause();
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_CLOSE_SECONDS);
		// A connection that has been accepted is added by a task.
		boolean waited = awaitTasks(deadline);
		ChannelGroupFuture closed = this.connections.newCloseFuture();
		for (Channel connection : this.connections) {
			// Past the handlers, which wait for the last bytes from TLS clients.
			connection.eventLoop().execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
		}
		// Netty completes the future of a channel before it calls the handlers, with a
		// task that the first wait may precede.
		if (!waited || !closed.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
				|| !awaitTasks(deadline) || !awaitTasks(deadline)) {
			logger.warn("Some connections did not close within {} seconds; stopping without them", MAX_CLOSE_SECONDS);
		}
	}

	/** Waits until each event loop has executed the tasks that it has now. */
	private boolean awaitTasks(long deadline) {
		List<Future<?>> tasks = new ArrayList<>();
		this.eventLoops.forEach((loop) -> tasks.add(loop.submit(() -> {
		})));
		return tasks.stream()
			.allMatch((task) -> task.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
	}

	/** Ends the event loops, after {@link #closeConnections()}. */
	void close() {
		pause();
		shutDown(this.eventLoops);
		this.acceptor.close();
	}

	private static void shutDown(EventLoopGroup eventLoops) {
		eventLoops.shutdownGracefully(0, MAX_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
	}

}
