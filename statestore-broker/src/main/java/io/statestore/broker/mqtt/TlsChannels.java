package io.statestore.broker.mqtt;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLPeerUnverifiedException;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;

/**
 * Access to the TLS session of a connection. If another node has forwarded the client,
 * its connection runs inside TLS of the nodes, with an {@link SslHandler} that is no
 * {@link ServerSslHandler}. The certificate of that node is not the client's.
 */
final class TlsChannels {

	private TlsChannels() {
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
