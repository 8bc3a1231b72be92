package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.AttributeKey;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP endpoint of the broker. Accepts connections and passes them to Artemis, each with a
 * {@link ConnectGuard} from its first byte on.
 */
final class TcpEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(TcpEndpoint.class);

	private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

	private static final long MAX_SHUTDOWN_MILLIS = 200;

	/** The memory that the client of a connection holds. */
	static final AttributeKey<ClientShare> MEMORY = AttributeKey.valueOf(TcpEndpoint.class, "memory");

	/**
	 * One for each processor. More serve no faster, and what goes from one client to
	 * another, such as a notification, changes threads more often.
	 */
	private final EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(),
			new DefaultThreadFactory("statestore-mqtt", true), NioIoHandler.newFactory());

	private final Channel channel;

	private final int port;

	/**
	 * Listen.
	 * @param acceptor where connections are handed over, which does not listen itself
	 * @throws IllegalStateException if that is not possible; there is nothing to close
	 * then
	 */
	TcpEndpoint(NettyAcceptor acceptor, MqttBrokerSettings settings, MemoryBudget budget) {
		ChannelFuture bound = new ServerBootstrap().group(this.eventLoops)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childOption(ChannelOption.SO_KEEPALIVE, true)
			.childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel connection) {
					ClientShare memory = budget.open();
					connection.closeFuture().addListener((closed) -> memory.close());
					connection.attr(MEMORY).set(memory);
					connection.pipeline().addLast(new ConnectGuard(settings.maxConnectSize(), memory));
					handOver(connection, acceptor);
				}
			})
			.bind(new InetSocketAddress(settings.host(), settings.port()))
			.awaitUninterruptibly();
		this.channel = bound.channel();
		if (!bound.isSuccess()) {
			close();
			throw new IllegalStateException("Cannot bind", bound.cause());
		}
		this.port = ((InetSocketAddress) this.channel.localAddress()).getPort();
	}

	private static void handOver(Channel connection, NettyAcceptor acceptor) {
		try {
			acceptor.transfer(connection);
		}
		catch (IllegalStateException ex) {
			// It came while the broker was stopping.
			logger.debug("Refused a connection from {}", connection.remoteAddress(), ex);
			connection.close();
		}
	}

	int port() {
		return this.port;
	}

	/** Stops accepting connections. */
	void pause() {
		this.channel.close().awaitUninterruptibly();
	}

	/**
	 * Stops listening, without waiting.
	 * @param stopped runs when it no longer listens
	 */
	void abort(Runnable stopped) {
		this.channel.close().addListener((closed) -> stopped.run());
	}

	/** End whatever is left. */
	void close() {
		pause();
		this.eventLoops.shutdownGracefully(0, MAX_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
	}

}
