package io.statestore.cluster.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * First frame of a connection that carries a client's bytes instead of messages: the
 * {@link Greeting} of the forwarding node, and the client's address.
 *
 * @param greeting greeting of the forwarding node
 * @param client address of the client, as the sender sees it
 */
record StreamGreeting(Greeting greeting, InetSocketAddress client) {

	/** Byte that the leader sends when it has accepted the stream. */
	static final byte ACCEPTED = 1;

	private static final int IPV4_BYTES = 4;

	private static final int IPV6_BYTES = 16;

	ByteBuf encode(ByteBufAllocator allocator) {
		byte[] address = this.client.getAddress().getAddress();
		ByteBuf frame = this.greeting.encode(allocator, Greeting.STREAM);
		frame.writeShort(this.client.getPort()).writeBytes(address);
		return frame.setInt(0, frame.readableBytes() - Frames.LENGTH_BYTES);
	}

	/**
	 * Decodes the client address after a greeting.
	 * @return the stream greeting, {@code null} if the bytes are not a client address
	 */
	static @Nullable StreamGreeting decode(Greeting greeting, ByteBuf rest) {
		int length = rest.readableBytes() - 2;
		if (length != IPV4_BYTES && length != IPV6_BYTES) {
			return null;
		}
		int port = rest.readUnsignedShort();
		byte[] address = new byte[length];
		rest.readBytes(address);
		try {
			InetAddress client = InetAddress.getByAddress(address);
			return (client.isAnyLocalAddress() || client.isMulticastAddress()) ? null
					: new StreamGreeting(greeting, new InetSocketAddress(client, port));
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

}
