package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.SecureRandom;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * First bytes of a connection that another node has forwarded: a secret of this process,
 * 1 byte length of the address of the client, its address, and 2 bytes port. Other
 * processes on this machine do not know the secret. Thread-safe.
 */
final class ForwardedHeader {

	private static final int SECRET_BYTES = 32;

	private static final int IPV4_BYTES = 4;

	private static final int IPV6_BYTES = 16;

	private final byte[] secret = new byte[SECRET_BYTES];

	ForwardedHeader() {
		new SecureRandom().nextBytes(this.secret);
	}

	/** Returns a header. The caller releases it. */
	ByteBuf encode(ByteBufAllocator allocator, InetSocketAddress client) {
		byte[] address = client.getAddress().getAddress();
		return allocator.buffer(SECRET_BYTES + 1 + address.length + 2)
			.writeBytes(this.secret)
			.writeByte(address.length)
			.writeBytes(address)
			.writeShort(client.getPort());
	}

	/**
	 * Returns whether bytes can be the start of a header. Compares the secret only when
	 * all of it has arrived, in constant time, so that it cannot be guessed in parts.
	 */
	boolean mayStart(ByteBuf bytes) {
		return bytes.readableBytes() < SECRET_BYTES
				|| MessageDigest.isEqual(this.secret, ByteBufUtil.getBytes(bytes, bytes.readerIndex(), SECRET_BYTES));
	}

	/**
	 * Reads a header whose secret was checked.
	 * @return the address of the client, {@code null} if the header is incomplete
	 * @throws UnknownHostException if the length of the address is wrong
	 */
	@Nullable InetSocketAddress read(ByteBuf bytes) throws UnknownHostException {
		if (bytes.readableBytes() <= SECRET_BYTES) {
			return null;
		}
		int length = bytes.getUnsignedByte(bytes.readerIndex() + SECRET_BYTES);
		if (length != IPV4_BYTES && length != IPV6_BYTES) {
			throw new UnknownHostException("an address of " + length + " bytes");
		}
		if (bytes.readableBytes() < SECRET_BYTES + 1 + length + 2) {
			return null;
		}
		byte[] address = new byte[length];
		bytes.skipBytes(SECRET_BYTES + 1).readBytes(address);
		return new InetSocketAddress(InetAddress.getByAddress(address), bytes.readUnsignedShort());
	}

}
