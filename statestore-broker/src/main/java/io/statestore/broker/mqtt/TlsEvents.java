package io.statestore.broker.mqtt;

import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import javax.net.ssl.SSLException;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.server.ClientLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that logs TLS failures and then closes the connection. If a client is
 * refused, drops the data that it has sent together with the end of its handshake.
 * <p>
 * Passes handshake computations to threads shared by all handshakes. After the handshake,
 * only a renegotiation requires computations. A renegotiation ends the connection,
 * because TLS 1.2 lets clients request an unlimited number of expensive handshakes.
 */
final class TlsEvents extends ChannelInboundHandlerAdapter implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(TlsEvents.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private final OpenConnection connection;

	private final Executor threads;

	private final Runnable failed;

	private boolean finished;

	/** Whether the client was refused because its certificate is not valid. */
	private boolean refused;

	/**
	 * Creates a handler for one connection.
	 * @param connection the connection to close after a failure
	 * @param threads compute all connections' handshakes
	 * @param failed called when the handshake fails
	 */
	TlsEvents(OpenConnection connection, Executor threads, Runnable failed) {
		this.connection = connection;
		this.threads = threads;
		this.failed = failed;
	}

	/** Computes part of the handshake. */
	@Override
	public void execute(Runnable task) {
		if (this.finished) {
			clientLog.warn("Closed a connection from {} that requested a TLS renegotiation. "
					+ "Disable renegotiation in the client, or use TLS 1.3", address());
			this.connection.abort();
			return;
		}
		this.connection.setBusy(true);
		try {
			this.threads.execute(() -> run(task));
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping.
			this.connection.abort();
		}
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		finally {
			this.connection.setBusy(false);
		}
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (event instanceof SslHandshakeCompletionEvent completion) {
			this.finished = true;
			if (!completion.isSuccess()) {
				report(completion.cause());
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

	private void report(Throwable cause) {
		if (cause instanceof ClosedChannelException) {
			// The connection was closed during the handshake, for example by a port
			// scanner.
			logger.debug("Connection from {} closed during the TLS handshake", address());
			return;
		}
		this.failed.run();
		clientLog.warn(TlsFailure.of(cause).format(), address(), TlsFailure.reason(cause));
	}

	/**
	 * Returns whether the client's certificate is currently valid. TLS does not check
	 * this when it resumes a session.
	 */
	private boolean isValid(ChannelHandlerContext context) {
		try {
			for (X509Certificate certificate : ServerSslHandler.clientCertificates(context.channel())) {
				certificate.checkValidity();
			}
			return true;
		}
		catch (CertificateExpiredException | CertificateNotYetValidException ex) {
			report(ex);
			return false;
		}
	}

	private String address() {
		return this.connection.address().getHostAddress();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		Throwable root = (cause instanceof DecoderException && cause.getCause() != null) ? cause.getCause() : cause;
		if (root instanceof SSLException) {
			// A failed handshake has already been reported.
			logger.debug("TLS connection from {} failed", address(), root);
			context.close();
		}
		else {
			context.fireExceptionCaught(cause);
		}
	}

}
