package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.handler.ssl.SslHandler;

/**
 * Sets up a connection to a peer, which must present a certificate for the host that this
 * node connects to.
 */
final class PeerInitializer extends ChannelInitializer<Channel> {

	private final TransportOptions options;

	private final Endpoint peer;

	private final ChannelHandler[] handlers;

	/**
	 * Creates an initializer.
	 * @param handlers the handlers after the TLS handler
	 */
	PeerInitializer(TransportOptions options, Endpoint peer, ChannelHandler... handlers) {
		this.options = options;
		this.peer = peer;
		this.handlers = handlers;
	}

	@Override
	protected void initChannel(Channel channel) {
		channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
		SslHandler tls = new SslHandler(this.options.newClientEngine(this.peer));
		tls.setHandshakeTimeoutMillis(this.options.handshakeTimeout().toMillis());
		channel.pipeline().addLast(tls).addLast(this.handlers);
	}

}
