package io.statestore.broker.mqtt;

import java.util.concurrent.Executor;

import javax.net.ssl.SSLEngine;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

/**
 * TLS handler of one connection of the broker. Ignores the failure of a computation that
 * ends after the connection. Netty would log it with its stack trace, as often as
 * strangers want.
 */
final class ServerSslHandler extends SslHandler {

	/**
	 * Creates a handler for one connection.
	 * @param engine the server side of TLS
	 * @param tasks computes parts of the handshake
	 */
	ServerSslHandler(SSLEngine engine, Executor tasks) {
		super(engine, tasks);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
		if (!context.isRemoved()) {
			super.exceptionCaught(context, cause);
		}
	}

}
