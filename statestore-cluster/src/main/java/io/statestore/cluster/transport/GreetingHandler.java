package io.statestore.cluster.transport;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLPeerUnverifiedException;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies who a peer is: its certificate has to be valid for the host in its greeting.
 * Closes the connection otherwise. Then, a {@link RequestHandler} or a
 * {@link StreamAcceptance} takes over.
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
		int kind = Greeting.kind(frame);
		Greeting greeting = Greeting.decode(frame);
		StreamGreeting stream = (greeting != null && kind == Greeting.STREAM) ? StreamGreeting.decode(greeting, frame)
				: null;
		if (greeting == null || (kind == Greeting.STREAM && stream == null)) {
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
		else if (stream != null) {
			replace(context, this.acceptor.accept(context.channel(), stream));
		}
		else {
			replace(context,
					new LengthFieldBasedFrameDecoder(this.options.maxMessageBytes() + Frames.HEADER_BYTES, 0,
							Frames.LENGTH_BYTES, 0, Frames.LENGTH_BYTES),
					this.acceptor.accept(context.channel(), greeting, peer));
		}
	}

	/** Lets other handlers take over. */
	private void replace(ChannelHandlerContext context, ChannelHandler... handlers) {
		ChannelHandler decoder = context.pipeline().get(LengthFieldBasedFrameDecoder.class);
		context.pipeline().addLast(handlers);
		context.pipeline().remove(this);
		// Passes on what it has received behind the greeting.
		context.pipeline().remove(decoder);
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
