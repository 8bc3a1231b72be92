package io.statestore.broker.mqtt;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

/**
 * TLS handler of one connection of the broker. Ignores the failure of a computation that
 * ends after the connection. Netty would log it with its stack trace, which any client
 * could cause at will.
 * <p>
 * If another node has forwarded the client, its connection runs inside TLS of the nodes,
 * with another {@link SslHandler}. The certificate of that node is not the client's.
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

	/** Returns whether the client uses TLS. */
	static boolean isSecure(Channel channel) {
		return channel.pipeline().get(ServerSslHandler.class) != null;
	}

	/** Returns the number of TLS sessions of a connection, with that of another node. */
	static int sessions(Channel channel) {
		return (int) channel.pipeline().toMap().values().stream().filter(SslHandler.class::isInstance).count();
	}

	/**
	 * Returns the certificate chain with which a client has authenticated its connection.
	 * To be called after the handshake, so at the earliest when its CONNECT arrives.
	 * @param channel the connection
	 * @return the certificate of the client and its issuers, which TLS has verified;
	 * empty without a certificate or without TLS
	 */
	static List<X509Certificate> clientCertificates(Channel channel) {
		ServerSslHandler handler = channel.pipeline().get(ServerSslHandler.class);
		if (handler == null) {
			return List.of();
		}
		try {
			return Arrays.stream(handler.engine().getSession().getPeerCertificates())
				.filter(X509Certificate.class::isInstance)
				.map(X509Certificate.class::cast)
				.toList();
		}
		catch (SSLPeerUnverifiedException ex) {
			return List.of();
		}
	}

}
