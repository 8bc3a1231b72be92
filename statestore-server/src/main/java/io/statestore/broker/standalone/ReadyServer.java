package io.statestore.broker.standalone;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.netty.bootstrap.ServerBootstrap;
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
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;

/**
 * HTTP server for the health checks of load balancers and orchestrators. Answers one
 * request for each connection. Thread-safe.
 */
final class ReadyServer implements AutoCloseable {

	private static final int MAX_CONNECTIONS = 64;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int MAX_LINE = 1_024;

	private static final int MAX_HEADERS = 8_192;

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
		connection.pipeline().addLast(new HttpServerCodec(MAX_LINE, MAX_HEADERS, MAX_LINE), new Handler());
	}

	int port() {
		return ((InetSocketAddress) this.socket.localAddress()).getPort();
	}

	/** Returns the URL of the check whether clients are served. */
	String url() {
		return "http://" + (this.host.contains(":") ? '[' + this.host + ']' : this.host) + ':' + port() + "/readyz";
	}

	private HttpResponseStatus answer(HttpRequest request) {
		if (request.decoderResult().isFailure()) {
			return HttpResponseStatus.BAD_REQUEST;
		}
		if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
			return HttpResponseStatus.METHOD_NOT_ALLOWED;
		}
		return switch (request.uri().replaceFirst("\\?.*", "")) {
			case "/readyz" -> status(this.ready);
			case "/leaderz" -> status(this.leading);
			default -> HttpResponseStatus.NOT_FOUND;
		};
	}

	private static HttpResponseStatus status(BooleanSupplier healthy) {
		return healthy.getAsBoolean() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
	}

	@Override
	public void close() {
		this.socket.close().awaitUninterruptibly();
		this.eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	/** Answers the first request of a connection, and closes it. */
	private final class Handler extends SimpleChannelInboundHandler<HttpObject> {

		private boolean answered;

		@Override
		protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
			if (this.answered || !(part instanceof HttpRequest request)) {
				return;
			}
			this.answered = true;
			HttpResponseStatus status = answer(request);
			byte[] text = (status.reasonPhrase() + '\n').getBytes(StandardCharsets.US_ASCII);
			FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status,
					HttpMethod.HEAD.equals(request.method()) ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(text));
			response.headers()
				.set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
				.set(HttpHeaderNames.CONTENT_LENGTH, text.length)
				.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
				.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
			context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			context.close();
		}

	}

}
