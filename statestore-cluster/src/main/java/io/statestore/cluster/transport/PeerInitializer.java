package io.statestore.cluster.transport;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;

/**
 * Sets up a connection to a peer, which has to present a certificate for the host that
 * this node connects to.
 */
final class PeerInitializer extends ChannelInitializer<Channel> {

	private final TransportOptions options;

	private final Endpoint peer;

	private final ChannelHandler responses;

	PeerInitializer(TransportOptions options, Endpoint peer, ChannelHandler responses) {
		this.options = options;
		this.peer = peer;
		this.responses = responses;
	}

	@Override
	protected void initChannel(Channel channel) {
		SslHandler tls = new SslHandler(newEngine());
		tls.setHandshakeTimeoutMillis(this.options.handshakeTimeout().toMillis());
		channel.pipeline()
			.addLast(tls, new FlushConsolidationHandler(256, true),
					new LengthFieldBasedFrameDecoder(this.options.maxMessageBytes() + Frames.HEADER_BYTES, 0,
							Frames.LENGTH_BYTES, 0, Frames.LENGTH_BYTES),
					this.responses);
	}

	private SSLEngine newEngine() {
		SSLEngine engine = this.options.tls().get().createSSLEngine(this.peer.getIp(), this.peer.getPort());
		engine.setUseClientMode(true);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(PeerTransport.protocols());
		// Checks the host in the certificate of the peer.
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		engine.setSSLParameters(parameters);
		return engine;
	}

}
