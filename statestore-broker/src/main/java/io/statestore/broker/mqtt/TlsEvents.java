package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLException;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.server.ClientLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that logs failures of TLS, and closes the connection after them. Drops
 * what a client has sent together with the end of its handshake if it is refused.
 */
final class TlsEvents extends ChannelInboundHandlerAdapter {

	private static final Logger logger = LoggerFactory.getLogger(TlsEvents.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private final HandshakeTasks tasks;

	private final Runnable failed;

	/** Whether the certificate of the client is not valid. */
	private boolean refused;

	/**
	 * Creates a handler for one connection.
	 * @param tasks receives the end of the handshake
	 * @param failed called when the handshake fails
	 */
	TlsEvents(HandshakeTasks tasks, Runnable failed) {
		this.tasks = tasks;
		this.failed = failed;
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (event instanceof SslHandshakeCompletionEvent completion) {
			this.tasks.finish();
			if (!completion.isSuccess()) {
				report(context, completion.cause());
			}
			else if (!isValid(context)) {
				this.refused = true;
				context.close();
			}
		}
		else if (event instanceof SslCloseCompletionEvent) {
			context.close();
		}
		context.fireUserEventTriggered(event);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.refused) {
			ReferenceCountUtil.release(message);
		}
		else {
			context.fireChannelRead(message);
		}
	}

	private void report(ChannelHandlerContext context, Throwable cause) {
		if (cause instanceof ClosedChannelException) {
			// Closed during the handshake, such as by a port scan.
			logger.debug("Connection from {} closed during the TLS handshake", address(context));
			return;
		}
		this.failed.run();
		TlsFailure.Failure failure = TlsFailure.of(cause);
		clientLog.warn(failure.format(), address(context), failure.reason());
	}

	/**
	 * Returns whether the certificate of the client has not expired. A resumed session
	 * does not verify it again.
	 */
	private boolean isValid(ChannelHandlerContext context) {
		try {
			for (X509Certificate certificate : TlsChannels.clientCertificates(context.channel())) {
				certificate.checkValidity();
			}
			return true;
		}
		catch (CertificateExpiredException | CertificateNotYetValidException ex) {
			report(context, ex);
			return false;
		}
	}

	private static String address(ChannelHandlerContext context) {
		InetAddress address = ClientAddress.host(context.channel());
		return (address != null) ? address.getHostAddress() : "a closed connection";
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable root = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		if (root instanceof SSLException) {
			// A failed handshake has been reported.
			logger.debug("TLS connection from {} failed", address(context), root);
			context.close();
		}
		else {
			context.fireExceptionCaught(cause);
		}
	}

}
