package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the socket properties that both sides of a connection exchange
 * (ZeroMQ RFC 37).
 */
final class Metadata {

	private static final String SOCKET_TYPE = "Socket-Type";

	private Metadata() {
	}

	/** Returns metadata that contain a socket type. */
	static byte[] of(String socketType) {
		byte[] type = socketType.getBytes(StandardCharsets.US_ASCII);
		byte[] length = ByteBuffer.allocate(Integer.BYTES).putInt(type.length).array();
		return CurveHandshake.concat(CurveHandshake.name(SOCKET_TYPE), length, type);
	}

	/**
	 * Returns the socket type in a peer's metadata.
	 * @param bytes bytes that end with the metadata
	 * @param offset offset of the metadata
	 * @return the type, or {@code null} if it is missing or the metadata is invalid
	 */
	static @Nullable String socketType(byte[] bytes, int offset) {
		String type = null;
		ByteBuffer left = ByteBuffer.wrap(bytes, offset, bytes.length - offset);
		while (left.hasRemaining()) {
			String name = text(left, left.get() & 0xFF);
			if (name == null || name.isEmpty() || left.remaining() < Integer.BYTES) {
				return null;
			}
			String value = text(left, left.getInt());
			if (value == null) {
				return null;
			}
			type = name.equalsIgnoreCase(SOCKET_TYPE) ? value : type;
		}
		return type;
	}

	private static @Nullable String text(ByteBuffer bytes, int length) {
		if (length < 0 || length > bytes.remaining()) {
			return null;
		}
		byte[] text = new byte[length];
		bytes.get(text);
		return new String(text, StandardCharsets.ISO_8859_1);
	}

}
