package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import zmq.io.Metadata;

/** Metadata of a socket in INITIATE and READY: the type of the socket. */
final class CurveMetadata {

	private CurveMetadata() {
	}

	/** Returns the metadata with the type of a socket. */
	static byte[] of(String socketType) {
		byte[] name = Metadata.SOCKET_TYPE.getBytes(StandardCharsets.US_ASCII);
		byte[] type = socketType.getBytes(StandardCharsets.US_ASCII);
		return ByteBuffer.allocate(1 + name.length + Integer.BYTES + type.length)
			.put((byte) name.length)
			.put(name)
			.putInt(type.length)
			.put(type)
			.array();
	}

	/**
	 * Returns the type of a socket from its metadata.
	 * @return the type, or {@code null} if the metadata are invalid
	 */
	static @Nullable String socketType(byte[] text, int offset) {
		String[] type = new String[1];
		try {
			int result = new Metadata().read(ByteBuffer.wrap(text), offset, (name, value, valueText) -> {
				if (name.equals(Metadata.SOCKET_TYPE)) {
					type[0] = valueText;
				}
				return 0;
			});
			return (result == 0) ? type[0] : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

}
