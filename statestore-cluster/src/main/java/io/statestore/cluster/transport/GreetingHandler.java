package io.statestore.cluster.transport;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLPeerUnverifiedException;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies who a peer is: its certificate has to be valid for the host in its greeting.
 * Closes the connection otherwise. Then, a {@link RequestHandler} takes over.
 */
final class GreetingHandler extends SimpleChannelInboundHandler<ByteBuf> {

	private static final Logger logger = LoggerFactory.getLogger(GreetingHandler.class);

	private final PeerAcceptor acceptor;

	private final TransportOptions options;

	GreetingHandler(PeerAcceptor acceptor, TransportOptions options) {
		this.acceptor = acceptor;
		this.options = options;
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
		Greeting greeting = Greeting.decode(frame);
		if (greeting == null) {
			refuse(context, "it does not greet as a node");
			return;
		}
		Endpoint peer = endpoint(greeting.sender());
		if (!greeting.group().equals(this.options.group())) {
			refuse(context, "it belongs to another cluster");
		}
		else if (!greeting.receiver().equals(this.options.self().toString())) {
			refuse(context, "it looks for another node. Check that the address of each node is the same everywhere");
		}
		else if (peer == null || !isCertified(context, peer)) {
			refuse(context, "its certificate is not valid for the host that it claims to be");
		}
		else {
			LengthFieldBasedFrameDecoder decoder = new LengthFieldBasedFrameDecoder(
					this.options.maxMessageBytes() + Frames.HEADER_BYTES, 0, Frames.LENGTH_BYTES, 0,
					Frames.LENGTH_BYTES);
			context.pipeline().addLast(decoder, this.acceptor.accept(context.channel(), greeting, peer));
			context.pipeline().remove(this);
			// Passes on what it has received behind the greeting.
			context.pipeline().remove(LengthFieldBasedFrameDecoder.class);
		}
	}

	private static @Nullable Endpoint endpoint(String text) {
		PeerId peer = new PeerId();
		return peer.parse(text) ? peer.getEndpoint() : null;
	}

	private boolean isCertified(ChannelHandlerContext context, Endpoint peer) {
		try {
			Certificate certificate = context.pipeline()
				.get(SslHandler.class)
				.engine()
				.getSession()
				.getPeerCertificates()[0];
			return certificate instanceof X509Certificate x509 && CertificateHosts.covers(x509, peer.getIp());
		}
		catch (SSLPeerUnverifiedException ex) {
			return false;
		}
	}

	private static void refuse(ChannelHandlerContext context, String reason) {
		logger.warn("Refused a node at {}: {}", context.channel().remoteAddress(), reason);
		context.close();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		// Anyone can connect, so that this is no reason to warn.
		logger.debug("Refused a connection from {}", context.channel().remoteAddress(), cause);
		context.close();
	}

}
