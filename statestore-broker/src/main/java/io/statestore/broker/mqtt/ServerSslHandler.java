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
 * TLS handler for one broker connection. Ignores failures of handshake computations that
 * end after the connection. Netty would log them with stack traces, which any client
 * could trigger at will.
 * <p>
 * If another node forwards the client, the client's connection runs inside a TLS
 * connection between the nodes, which has its own {@link SslHandler}. That node's
 * certificate is not the client's.
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

	/**
	 * Returns the number of TLS sessions of a connection, including a forwarding node's.
	 */
	static int sessions(Channel channel) {
		return (int) channel.pipeline().toMap().values().stream().filter(SslHandler.class::isInstance).count();
	}

	/**
	 * Returns the certificate chain with which a client has authenticated its connection.
	 * Must be called after the handshake, which means when the CONNECT arrives or later.
	 * @param channel the connection
	 * @return the client's certificate and its issuers, which TLS has verified; empty
	 * without a certificate or TLS
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
