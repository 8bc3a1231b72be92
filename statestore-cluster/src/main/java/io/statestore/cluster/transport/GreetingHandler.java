package io.statestore.cluster.transport;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.stream.Stream;

import javax.net.ssl.SSLPeerUnverifiedException;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies that a peer is a node of this cluster, with a node certificate that is valid
 * for the host in its greeting. If so, passes the connection to a
 * {@link PeerRequestHandler} or a {@link StreamAcceptance}; otherwise, closes it.
 */
final class GreetingHandler extends SimpleChannelInboundHandler<ByteBuf> {

	static final Logger logger = LoggerFactory.getLogger(GreetingHandler.class);

	private static final String REPLACE = "If a majority of the nodes has its data, start it with an empty directory "
			+ "and --join, and replace it. Otherwise, begin a new cluster with a backup, and empty directories on all nodes";

	private final PeerAcceptor acceptor;

	private final TransportOptions options;

	private final Introductions introductions;

	private final ClientLog refusals;

	private boolean refused;

	/**
	 * Creates a handler.
	 * @param refusals refusal log, shared by all of the node's connections
	 */
	GreetingHandler(PeerAcceptor acceptor, TransportOptions options, Introductions introductions, ClientLog refusals) {
		this.acceptor = acceptor;
		this.options = options;
		this.introductions = introductions;
		this.refusals = refusals;
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
		if (this.refused) {
			// The frame was sent before the connection was closed.
			return;
		}
		int kind = Greeting.kind(frame);
		Greeting greeting = Greeting.decode(frame);
		StreamGreeting stream = (greeting != null && kind == Greeting.STREAM) ? StreamGreeting.decode(greeting, frame)
				: null;
		if (greeting == null || (kind == Greeting.STREAM && stream == null)) {
			refuse(context, "it does not introduce itself as a node");
			return;
		}
		Endpoint peer = endpoint(greeting.sender());
		if (!greeting.group().equals(this.options.group())) {
			refuse(context, "it belongs to another cluster");
		}
		else if (!greeting.receiver().equals(this.options.self().toString())) {
			refuse(context, "it expects another node at this address. Check that --peers is the same on every node");
		}
		else if (peer == null || !isCertified(context, peer)) {
			refuse(context, "its certificate is not that of a node, or not valid for the host that it claims to be");
		}
		else if (greeting.isOfOtherBackup(this.options.directories().foundersDigest())) {
			refuse(context,
					"node {} and this node began with different backups, or one of them with none. Start the "
							+ "node that was wrong with a directory into which the backup of the others was restored",
					peer);
		}
		else if (greeting.isOfOtherFounders(this.options.directories().foundersDigest())) {
			refuse(context, "node {} was first started with different --peers than this node. Compare --peers. Then "
					+ "start the node that was wrong again with an empty directory", peer);
		}
		else if (!this.acceptor.isMember(peer)) {
			refuse(context,
					"it claims to be {}, which is neither one of --peers nor a member. If it was added to the cluster, "
							+ "name it in --peers of this node, too, and start this node again",
					peer);
		}
		else if (checkDirectories(context, greeting, peer)) {
			if (this.options.directories().mayTakePart()) {
				accept(context, greeting, peer, stream);
			}
			else {
				// The peer will connect again. By then, this node may know all founders'
				// directories.
				close(context);
			}
		}
	}

	private void accept(ChannelHandlerContext context, Greeting greeting, Endpoint peer,
			@Nullable StreamGreeting stream) {
		if (stream != null) {
			replace(context, this.acceptor.accept(context.channel(), stream));
		}
		else {
			replace(context,
					new LengthFieldBasedFrameDecoder(this.options.maxMessageBytes() + Frames.HEADER_BYTES, 0,
							Frames.LENGTH_BYTES, 0, Frames.LENGTH_BYTES),
					this.acceptor.accept(context.channel(), greeting, peer));
		}
	}

	/**
	 * Closes the connection unless both nodes have the same directories as before. Also
	 * closes it after recording a new peer's directory; the peer then connects again.
	 * @return whether the connection remains open
	 */
	private boolean checkDirectories(ChannelHandlerContext context, Greeting greeting, Endpoint peer) {
		Directories directories = this.options.directories();
		String known = directories.of(peer);
		if (known == null || greeting.directory().isEmpty()) {
			// Only founders record directories.
			return true;
		}
		if (!greeting.expected().isEmpty() && !greeting.expected().equals(directories.own())) {
			String reason = "Node " + peer + " knows another directory of this node, whose data is lost. " + REPLACE;
			if (known.isEmpty()) {
				this.introductions.lost(reason);
			}
			refuse(context, "{}", reason);
			return false;
		}
		if (known.isEmpty()) {
			this.introductions.meet(peer, greeting.directory());
			close(context);
			return false;
		}
		if (!known.equals(greeting.directory())) {
			refuse(context, "node {} has a different directory than before, so it has lost its data. {}", peer,
					REPLACE);
			// This node's greeting tells the peer that its data is lost.
			this.introductions.introduce(peer);
			return false;
		}
		if (greeting.expected().isEmpty()) {
			this.introductions.introduce(peer);
		}
		return true;
	}

	/** Replaces this handler and the frame decoder with other handlers. */
	private void replace(ChannelHandlerContext context, ChannelHandler... handlers) {
		ChannelHandler decoder = context.pipeline().get(LengthFieldBasedFrameDecoder.class);
		context.pipeline().addLast(handlers);
		context.pipeline().remove(this);
		// Removing the decoder passes on the bytes received after the greeting.
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
			return certificate instanceof X509Certificate x509 && NodeCertificate.isFor(x509, peer.getIp());
		}
		catch (SSLPeerUnverifiedException ex) {
			return false;
		}
	}

	/**
	 * Logs a reason and closes the connection. The peer connects again and again, so the
	 * log limits entries for each reason.
	 */
	private void refuse(ChannelHandlerContext context, String reason, Object... arguments) {
		Object[] all = Stream.concat(Stream.of(context.channel().remoteAddress()), Stream.of(arguments)).toArray();
		this.refusals.warn("Refused a node at {}: " + reason, all);
		close(context);
	}

	private void close(ChannelHandlerContext context) {
		this.refused = true;
		context.close();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		// Strangers can connect, too, so this does not justify a warning.
		logger.debug("Refused a connection from {}", context.channel().remoteAddress(), cause);
		context.close();
	}

}
