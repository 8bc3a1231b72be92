package io.statestore.cluster.transport;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import com.alipay.sofa.jraft.rpc.impl.ConnectionClosedEventListener;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.cluster.StreamTarget;
import org.jspecify.annotations.Nullable;

/**
 * Sets up the connections that peers open. Keeps few connections without a valid
 * certificate and greeting, and closes the oldest of them for a new one.
 */
@Sharable
final class PeerAcceptor extends ChannelInitializer<Channel> {

	/** Maximum number of connections whose peer is unknown. */
	private static final int MAX_UNKNOWN = 64;

	/** Time to say goodbye to a peer, in milliseconds. */
	private static final int CLOSE_MILLIS = 200;

	private final TransportOptions options;

	private final RequestDispatcher dispatcher;

	private final Reachability reachability;

	private final ConnectionClosedEventListener closeListener;

	private final Supplier<@Nullable StreamTarget> streams;

	/** All open connections. */
	private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

	/** Connections whose peer is unknown, oldest first. */
	private final Set<Channel> unknown = new LinkedHashSet<>();

	PeerAcceptor(TransportOptions options, RequestDispatcher dispatcher, Reachability reachability,
			ConnectionClosedEventListener closeListener, Supplier<@Nullable StreamTarget> streams) {
		this.streams = streams;
		this.options = options;
		this.dispatcher = dispatcher;
		this.reachability = reachability;
		this.closeListener = closeListener;
	}

	@Override
	protected void initChannel(Channel channel) {
		SslHandler tls = new SslHandler(newEngine());
		tls.setHandshakeTimeoutMillis(this.options.handshakeTimeout().toMillis());
		tls.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
		channel.pipeline()
			.addLast(tls, new FlushConsolidationHandler(256, true), new LengthFieldBasedFrameDecoder(Greeting.MAX_BYTES,
					0, Frames.LENGTH_BYTES, 0, Frames.LENGTH_BYTES), new GreetingHandler(this, this.options));
		this.channels.add(channel);
		add(channel);
		channel.closeFuture().addListener((closed) -> remove(channel));
		channel.eventLoop().schedule(() -> {
			if (remove(channel)) {
				channel.close();
			}
		}, this.options.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Closes all connections. The end of the event loop would leave some open. */
	void close() {
		this.channels.close().awaitUninterruptibly();
	}

	private void add(Channel channel) {
		Channel oldest = null;
		synchronized (this.unknown) {
			this.unknown.add(channel);
			if (this.unknown.size() > MAX_UNKNOWN) {
				oldest = this.unknown.iterator().next();
				this.unknown.remove(oldest);
			}
		}
		if (oldest != null) {
			oldest.close();
		}
	}

	private boolean remove(Channel channel) {
		synchronized (this.unknown) {
			return this.unknown.remove(channel);
		}
	}

	/** Accepts the requests of a peer that has proven who it is. */
	RequestHandler accept(Channel channel, Greeting greeting, Endpoint peer) {
		remove(channel);
		return new RequestHandler(new InboundConnection(channel, this.options.self(), peer, this.reachability),
				greeting, this.dispatcher, this.closeListener);
	}

	/** Accepts the client of a peer that has proven who it is. */
	StreamAcceptance accept(Channel channel, StreamGreeting stream) {
		remove(channel);
		return new StreamAcceptance(stream, this.streams.get());
	}

	private SSLEngine newEngine() {
		SSLEngine engine = this.options.tls().get().createSSLEngine();
		engine.setUseClientMode(false);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(PeerTransport.protocols());
		parameters.setNeedClientAuth(true);
		engine.setSSLParameters(parameters);
		return engine;
	}

}
