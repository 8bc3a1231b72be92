package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.statestore.broker.security.LogText;

/** Event loops and the socket on which they listen for clients. Thread-safe. */
final class TcpListener implements AutoCloseable {

	static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	/**
	 * Reads a client's burst in parts. The client processes the replies to one part while
	 * the broker handles the next part; otherwise, client and broker would wait for each
	 * other in turn. The minimum ensures that after reading short acknowledgments, the
	 * next read is still long enough for a request.
	 */
	private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(2048, 2048, 32 * 1024)
		.maxMessagesPerRead(1);

	private static final long MAX_SHUTDOWN_MILLIS = 200;

	private final EventLoopGroup eventLoops;

	private final Channel socket;

	/** Whether another object shuts down the event loops and closes the socket. */
	private final boolean shared;

	private TcpListener(EventLoopGroup eventLoops, Channel socket, boolean shared) {
		this.eventLoops = eventLoops;
		this.socket = socket;
		this.shared = shared;
	}

	/**
	 * Returns a listener that leaves the socket and the event loops open when it is
	 * closed.
	 */
	TcpListener shared() {
		return new TcpListener(this.eventLoops, this.socket, true);
	}

	/**
	 * Starts listening.
	 * @param host name or address to listen on
	 * @param port TCP port, 0 to select a free port
	 * @param receiver receives each connection on its event loop
	 * @return the listener, which the caller must close
	 * @throws IllegalStateException if the address is not available
	 */
	static TcpListener open(String host, int port, Consumer<Channel> receiver) {
		// One loop per two processors. With more loops, messages between clients, such as
		// notifications, change threads more often, and loops compete with clients on the
		// same machine and with threads that write, verify, and compile.
		EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(Math.max(1, NettyRuntime.availableProcessors() / 2),
				new DefaultThreadFactory("statestore-mqtt", true), NioIoHandler.newFactory());
		ChannelFuture bound = new ServerBootstrap().group(eventLoops)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.SO_KEEPALIVE, true)
			.childOption(ChannelOption.RECVBUF_ALLOCATOR, READS)
			.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel connection) {
					receiver.accept(connection);
				}
			})
			.bind(new InetSocketAddress(host, port))
			.awaitUninterruptibly();
		if (!bound.isSuccess()) {
			shutDown(eventLoops);
			throw new IllegalStateException(
					"The broker cannot listen on " + host + ':' + port + ": " + LogText.reason(bound.cause())
							+ ". Stop the process that uses the port, or configure another host or "
							+ "port (0 selects a free port)",
					bound.cause());
		}
		return new TcpListener(eventLoops, bound.channel(), false);
	}

	EventLoopGroup eventLoops() {
		return this.eventLoops;
	}

	/** Returns the client socket. */
	Channel socket() {
		return this.socket;
	}

	/** Returns the client socket's TCP port. */
	int port() {
		return ((InetSocketAddress) this.socket.localAddress()).getPort();
	}

	/** Waits until each event loop has executed the tasks queued so far. */
	boolean awaitTasks(long deadline) {
		List<Future<?>> tasks = new ArrayList<>();
		this.eventLoops.forEach((loop) -> tasks.add(loop.submit(() -> {
		})));
		return tasks.stream()
			.allMatch((task) -> task.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
	}

	/**
	 * Stops listening.
	 * @return a future that completes once the socket is closed, or immediately if it is
	 * shared
	 */
	Future<?> stop() {
		return this.shared ? this.socket.eventLoop().newSucceededFuture(null) : this.socket.close();
	}

	/** Shuts down the event loops. Connections must be closed first. */
	@Override
	public void close() {
		if (this.shared) {
			// Handshakes that are no longer running may have suspended the socket.
			this.socket.eventLoop().execute(() -> this.socket.config().setAutoRead(true));
		}
		else {
			stop().awaitUninterruptibly();
			shutDown(this.eventLoops);
		}
	}

	private static void shutDown(EventLoopGroup eventLoops) {
		eventLoops.shutdownGracefully(0, MAX_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
	}

}
