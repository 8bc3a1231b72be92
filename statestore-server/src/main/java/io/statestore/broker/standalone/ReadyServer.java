package io.statestore.broker.standalone;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server for the health checks of load balancers and orchestrators. Answers one
 * request for each connection. Thread-safe.
 */
final class ReadyServer implements AutoCloseable {

	private static final int MAX_CONNECTIONS = 64;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int MAX_LINE = 1_024;

	private static final int MAX_LINES = 100;

	private static final Pattern REQUEST = Pattern
		.compile("(?<method>[A-Z]+) (?<path>[^? ]*)(\\?[^ ]*)? HTTP/1\\.[01]");

	private final EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(1,
			new DefaultThreadFactory("statestore-ready", true), NioIoHandler.newFactory());

	private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private final String host;

	private final BooleanSupplier ready;

	private final BooleanSupplier leading;

	private final Duration timeout;

	private final Channel socket;

	private ReadyServer(String host, int port, BooleanSupplier ready, BooleanSupplier leading, Duration timeout) {
		this.host = host;
		this.ready = ready;
		this.leading = leading;
		this.timeout = timeout;
		ChannelFuture bound = new ServerBootstrap().group(this.eventLoop)
			.channel(NioServerSocketChannel.class)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel connection) {
					accept(connection);
				}
			})
			.bind(new InetSocketAddress(host, port))
			.awaitUninterruptibly();
		this.socket = bound.channel();
		if (!bound.isSuccess()) {
			close();
			throw new IllegalStateException("Health checks cannot listen on " + host + ':' + port + ": "
					+ bound.cause().getMessage() + ". Use another --ready-port or --ready-host", bound.cause());
		}
	}

	/**
	 * Starts a server.
	 * @param ready returns whether clients are served. Must not block
	 * @param leading returns whether this node leads. Must not block
	 * @throws IllegalStateException if the address is not available
	 */
	static ReadyServer start(String host, int port, BooleanSupplier ready, BooleanSupplier leading) {
		return start(host, port, ready, leading, TIMEOUT);
	}

	static ReadyServer start(String host, int port, BooleanSupplier ready, BooleanSupplier leading, Duration timeout) {
		return new ReadyServer(host, port, ready, leading, timeout);
	}

	private void accept(Channel connection) {
		this.connections.add(connection);
		if (this.connections.size() > MAX_CONNECTIONS) {
			connection.close();
			return;
		}
		connection.eventLoop().schedule(() -> connection.close(), this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		connection.pipeline().addLast(new LineBasedFrameDecoder(MAX_LINE), new Handler());
	}

	int port() {
		return ((InetSocketAddress) this.socket.localAddress()).getPort();
	}

	/** Returns the URL of the check whether clients are served. */
	String url() {
		return "http://" + (this.host.contains(":") ? '[' + this.host + ']' : this.host) + ':' + port() + "/readyz";
	}

	private String status(Matcher request) {
		if (!request.matches()) {
			return "400 Bad Request";
		}
		if (!request.group("method").equals("GET") && !request.group("method").equals("HEAD")) {
			return "405 Method Not Allowed";
		}
		return switch (request.group("path")) {
			case "/readyz" -> status(this.ready);
			case "/leaderz" -> status(this.leading);
			default -> "404 Not Found";
		};
	}

	private static String status(BooleanSupplier healthy) {
		return healthy.getAsBoolean() ? "200 OK" : "503 Service Unavailable";
	}

	@Override
	public void close() {
		this.socket.close().awaitUninterruptibly();
		this.eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	/** Answers the first request of a connection, and closes it. */
	private final class Handler extends SimpleChannelInboundHandler<ByteBuf> {

		/** The request line, {@code null} before it. */
		private @Nullable String request;

		private int lines;

		@Override
		protected void channelRead0(ChannelHandlerContext context, ByteBuf line) {
			this.lines++;
			if (this.request == null) {
				this.request = line.toString(StandardCharsets.US_ASCII);
			}
			else if (!line.isReadable()) {
				answer(context, this.request);
			}
			else if (this.lines > MAX_LINES) {
				answer(context, "");
			}
		}

		private void answer(ChannelHandlerContext context, String request) {
			String status = status(REQUEST.matcher(request));
			String text = status.substring(status.indexOf(' ') + 1) + '\n';
			String response = "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: " + text.length()
					+ "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
					+ (request.startsWith("HEAD ") ? "" : text);
			context.pipeline().remove(this);
			context.writeAndFlush(Unpooled.copiedBuffer(response, StandardCharsets.US_ASCII))
				.addListener(ChannelFutureListener.CLOSE);
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			if (cause instanceof TooLongFrameException) {
				answer(context, "");
			}
			else {
				context.close();
			}
		}

	}

}
