package io.statestore.broker.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * The properties of an MQTT 5 packet, encoded (MQTT 5 section 2.2.2).
 *
 * @param bytes the packet
 * @param index index of the property length
 */
record PropertyBlock(ByteBuf bytes, int index) {

	private static final int MALFORMED = -1;

	/**
	 * Arranges the properties so that Netty decodes all of them, and checks that they end
	 * where their length says.
	 * <p>
	 * The decoder of Netty 4.2 counts the bytes of the property length as properties that
	 * it has read. It stops before last properties that are not longer than the property
	 * length, and reads them as the beginning of the payload. Such properties therefore
	 * move to the front. User properties are never that short, so they keep their order.
	 * @return the index after the properties, or -1 if they are malformed
	 */
	int arrange() {
		VariableByteInteger size = VariableByteInteger.read(this.bytes, this.index, this.bytes.writerIndex());
		if (size == null || size == VariableByteInteger.INCOMPLETE) {
			return MALFORMED;
		}
		int start = this.index + size.length();
		int end = start + size.value();
		if (end > this.bytes.writerIndex()) {
			return MALFORMED;
		}
		int longEnd = start;
		for (int position = start; position < end;) {
			int next = propertyEnd(position, end);
			if (next == MALFORMED) {
				return MALFORMED;
			}
			if (next - position > size.length()) {
				longEnd = next;
			}
			position = next;
		}
		if (longEnd == end) {
			return end;
		}
		// Short properties alone take this many bytes only if they are repeated.
		if (longEnd == start) {
			return MALFORMED;
		}
		byte[] properties = ByteBufUtil.getBytes(this.bytes, start, end - start);
		this.bytes.setBytes(start, properties, longEnd - start, end - longEnd);
		this.bytes.setBytes(start + end - longEnd, properties, 0, longEnd - start);
		return end;
	}

	/** Returns the index after a property, or -1 if it is malformed. */
	private int propertyEnd(int position, int end) {
		int content = position + 1;
		int next = switch (this.bytes.getUnsignedByte(position)) {
			case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> content + 1;
			case 0x13, 0x21, 0x22, 0x23 -> content + 2;
			case 0x02, 0x11, 0x18, 0x27 -> content + 4;
			case 0x0B -> numberEnd(content, end);
			case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F -> stringEnd(content, end);
			case 0x26 -> stringEnd(stringEnd(content, end), end);
			default -> MALFORMED;
		};
		return (next <= end) ? next : MALFORMED;
	}

	private int numberEnd(int position, int end) {
		VariableByteInteger number = VariableByteInteger.read(this.bytes, position, end);
		return (number != null && number != VariableByteInteger.INCOMPLETE) ? position + number.length() : MALFORMED;
	}

	private int stringEnd(int position, int end) {
		return (position != MALFORMED && position + 2 <= end) ? position + 2 + this.bytes.getUnsignedShort(position)
				: MALFORMED;
	}

}
