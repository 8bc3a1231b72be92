package io.statestore.broker.mqtt;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;

/**
 * Ends a connection whose first bytes are not those of a CONNECT, and steps aside
 * otherwise. The broker behind it would take an HTTP request in as a whole first, and
 * what it does not know at all for ever, before anybody has logged in.
 */
@SuppressWarnings("NullAway.Init") // handlerAdded comes first and sets the rest
final class FirstBytesGuard extends ByteToMessageDecoder {

	/** From the connection to its first bytes. */
	private static final long TIMEOUT_SECONDS = 10;

	private static final byte CONNECT = 0x10;

	/** As many as the broker looks at; no CONNECT is shorter. */
	private static final int FIRST_BYTES = 8;

	/** Of the remaining length; with four of them a CONNECT would be above 2 MiB. */
	private static final int MAX_LENGTH_BYTES = 3;

	private Future<?> timeout;

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.timeout = context.executor().schedule(() -> context.close(), TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	@Override
	protected void handlerRemoved0(ChannelHandlerContext context) {
		this.timeout.cancel(false);
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		if (in.getByte(in.readerIndex()) != CONNECT) {
			end(context, in);
		}
		else if (in.readableBytes() >= FIRST_BYTES) {
			if (isConnect(in)) {
				context.pipeline().remove(this);
			}
			else {
				end(context, in);
			}
		}
	}

	private static void end(ChannelHandlerContext context, ByteBuf in) {
		in.skipBytes(in.readableBytes());
		context.close();
	}

	/** Whether the name of a protocol follows that is "MQTT" or, long ago, "MQIsdp". */
	private static boolean isConnect(ByteBuf in) {
		int index = in.readerIndex() + 1;
		int lengthBytes = 1;
		while (in.getByte(index) < 0) {
			index++;
			lengthBytes++;
			if (lengthBytes > MAX_LENGTH_BYTES) {
				return false;
			}
		}
		int nameLength = in.getUnsignedShort(index + 1);
		return (nameLength == 4 || nameLength == 6) && in.getByte(index + 3) == 'M' && in.getByte(index + 4) == 'Q';
	}

}
