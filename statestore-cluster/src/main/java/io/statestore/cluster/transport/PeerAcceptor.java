package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.security.AddressGroup;
import org.jspecify.annotations.Nullable;

/**
 * Sets up the connections that peers open. Keeps only a few connections without a valid
 * certificate and greeting. TLS handshakes are computed on separate threads, so that they
 * do not delay messages between nodes.
 */
@Sharable
final class PeerAcceptor extends ChannelInitializer<Channel> {

	/**
	 * How long closing a TLS connection may take to notify the peer, in milliseconds.
	 */
	private static final int CLOSE_MILLIS = 200;

	private final TransportOptions options;

	private final RequestDispatcher dispatcher;

	private final Reachability reachability;

	private final Supplier<@Nullable StreamTarget> streams;

	/** Open connections, except for client streams. */
	private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

	private final UnknownConnections unknown = new UnknownConnections();

	private final Executor handshakes;

	private final Predicate<Endpoint> members;

	private final Introductions introductions;

	private final Consumer<Endpoint> onClose;

	private final ClientLog refusals = new ClientLog(GreetingHandler.logger);

	/**
	 * Creates an acceptor.
	 * @param handshakes computes TLS handshakes
	 * @param members accepts the addresses of this cluster's nodes
	 * @param introductions exchanges directory IDs
	 * @param onClose called when a connection with a peer's requests is closed
	 */
	PeerAcceptor(TransportOptions options, RequestDispatcher dispatcher, Reachability reachability,
			Supplier<@Nullable StreamTarget> streams, Executor handshakes, Predicate<Endpoint> members,
			Introductions introductions, Consumer<Endpoint> onClose) {
		this.onClose = onClose;
		this.introductions = introductions;
		this.handshakes = handshakes;
		this.members = members;
		this.streams = streams;
		this.options = options;
		this.dispatcher = dispatcher;
		this.reachability = reachability;
	}

	@Override
	protected void initChannel(Channel channel) {
		channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
		SslHandler tls = new SslHandler(newEngine(), (task) -> compute(channel, task));
		tls.setHandshakeTimeoutMillis(this.options.handshakeTimeout().toMillis());
		tls.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
		channel.pipeline()
			.addLast(tls, new FlushConsolidationHandler(256, true),
					new LengthFieldBasedFrameDecoder(Greeting.MAX_BYTES, 0, Frames.LENGTH_BYTES, 0,
							Frames.LENGTH_BYTES),
					new GreetingHandler(this, this.options, this.introductions, this.refusals));
		this.channels.add(channel);
		String address = address(channel);
		Channel replaced = this.unknown.add(channel, address);
		if (replaced != null) {
			replaced.close();
		}
		channel.closeFuture().addListener((closed) -> this.unknown.remove(channel, address));
		channel.eventLoop().schedule(() -> {
			if (this.unknown.remove(channel, address)) {
				channel.close();
			}
		}, this.options.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Closes all connections. Shutting down the event loop would leave some of them open.
	 */
	void close() {
		this.channels.close().awaitUninterruptibly();
	}

	/** Computes a part of a handshake, unless the connection has been closed. */
	private void compute(Channel channel, Runnable task) {
		this.handshakes.execute(() -> {
			if (channel.isActive()) {
				task.run();
			}
		});
	}

	private static String address(Channel channel) {
		// Without an address, the connection is already closed.
		return (channel.remoteAddress() instanceof InetSocketAddress remote) ? AddressGroup.of(remote.getAddress())
				: "";
	}

	boolean isMember(Endpoint peer) {
		return this.members.test(peer);
	}

	private void verified(Channel channel) {
		String address = address(channel);
		this.unknown.remove(channel, address);
		this.unknown.addPeer(address);
	}

	/** Accepts requests from a peer that has proven its identity. */
	PeerRequestHandler accept(Channel channel, Greeting greeting, Endpoint peer) {
		verified(channel);
		channel.closeFuture().addListener((closed) -> this.onClose.accept(peer));
		return new PeerRequestHandler(new InboundConnection(channel, this.options.self(), peer, this.reachability,
				this.dispatcher.newEntriesExecutor()), greeting, this.dispatcher);
	}

	/** Passes a client stream to the broker, from a peer that has proven its identity. */
	StreamAcceptance accept(Channel channel, StreamGreeting stream) {
		verified(channel);
		// The broker closes the stream, with a DISCONNECT packet.
		this.channels.remove(channel);
		return new StreamAcceptance(stream, this.streams.get());
	}

	private SSLEngine newEngine() {
		SSLEngine engine = this.options.tls().get().createSSLEngine();
		engine.setUseClientMode(false);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setProtocols(TransportOptions.protocols());
		parameters.setNeedClientAuth(true);
		engine.setSSLParameters(parameters);
		return engine;
	}

}
