package io.statestore.cluster.transport;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a peer's requests. Closes the connection at the first frame that is not a
 * request from this peer to this node.
 */
final class PeerRequestHandler extends SimpleChannelInboundHandler<ByteBuf> {

	private static final Logger logger = LoggerFactory.getLogger(PeerRequestHandler.class);

	private final InboundConnection connection;

	private final Greeting greeting;

	private final RequestDispatcher dispatcher;

	PeerRequestHandler(InboundConnection connection, Greeting greeting, RequestDispatcher dispatcher) {
		this.connection = connection;
		this.greeting = greeting;
		this.dispatcher = dispatcher;
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) throws InvalidProtocolBufferException {
		if (frame.readableBytes() < Frames.HEADER_BYTES || frame.readUnsignedByte() != Frames.REQUEST) {
			throw new InvalidProtocolBufferException("The frame is not a request");
		}
		MessageType type = MessageType.of(frame.readUnsignedByte());
		if (type == null) {
			throw new InvalidProtocolBufferException("The type of the request is unknown");
		}
		long number = frame.readLong();
		Message request = type.parseRequest(frame);
		requireField(request, "group_id", this.greeting.group());
		// Read index requests are exempt, because a node that no longer leads forwards
		// other nodes' requests.
		if (type != MessageType.READ_INDEX) {
			requireField(request, "server_id", this.greeting.sender());
		}
		requireField(request, "peer_id", this.greeting.receiver());
		this.connection.requested();
		this.dispatcher.dispatch(type, request, new InboundCall(this.connection, type, number));
	}

	/** Refuses a request in the name of another node, or to another node. */
	private static void requireField(Message request, String name, String expected)
			throws InvalidProtocolBufferException {
		FieldDescriptor field = request.getDescriptorForType().findFieldByName(name);
		if (field != null && request.hasField(field) && !isNode(String.valueOf(request.getField(field)), expected)) {
			throw new InvalidProtocolBufferException("The request has a different " + name + " than the greeting");
		}
	}

	/** Compares addresses without the node's number, which JRaft appends. */
	private static boolean isNode(String actual, String expected) {
		return actual.equals(expected) || actual.startsWith(expected + ':');
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		this.connection.updateReading();
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		logger.warn("Closed the connection from node {}, which will connect again: {}", this.greeting.sender(),
				cause.toString());
		context.close();
	}

}
