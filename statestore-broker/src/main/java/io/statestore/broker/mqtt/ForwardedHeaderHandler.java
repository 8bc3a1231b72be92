package io.statestore.broker.mqtt;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Decoder that reads the header of a forwarded connection, and then removes itself. Other
 * bytes end the connection, as does a header that does not arrive in time.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class ForwardedHeaderHandler extends ByteToMessageDecoder {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ForwardedHeaderHandler.class));

	private static final long TIMEOUT_SECONDS = 5;

	private final ForwardedHeader header;

	private final Consumer<Channel> receiver;

	private Future<?> timeout;

	/**
	 * Creates a handler for one connection.
	 * @param receiver takes over the connection, whose {@link ClientAddress} is set
	 */
	ForwardedHeaderHandler(ForwardedHeader header, Consumer<Channel> receiver) {
		this.header = header;
		this.receiver = receiver;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.timeout = context.executor().schedule(() -> context.close(), TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	@Override
	protected void handlerRemoved0(ChannelHandlerContext context) {
		this.timeout.cancel(false);
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws UnknownHostException {
		if (!this.header.mayStart(in)) {
			clientLog.warn("Closed a connection from {} to the port for connections of other nodes: it is not from "
					+ "this process", context.channel().remoteAddress());
			in.skipBytes(in.readableBytes());
			context.close();
			return;
		}
		InetSocketAddress client = this.header.read(in);
		if (client != null) {
			ClientAddress.set(context.channel(), client);
			this.receiver.accept(context.channel());
			// The handlers behind this one have missed it.
			context.fireChannelActive();
			context.pipeline().remove(this);
		}
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.close();
	}

}
