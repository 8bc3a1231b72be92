package io.statestore.test;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the parts of one MQTT 5 packet. */
final class PacketReader {

	private final int header;

	private final ByteBuffer content;

	private PacketReader(int header, byte[] content) {
		this.header = header;
		this.content = ByteBuffer.wrap(content);
	}

	static PacketReader read(DataInputStream in) throws IOException {
		int header = in.readUnsignedByte();
		int length = 0;
		int shift = 0;
		int digit;
		do {
			digit = in.readUnsignedByte();
			length |= (digit & 127) << shift;
			shift += 7;
		}
		while (digit > 127);
		return new PacketReader(header, in.readNBytes(length));
	}

	int type() {
		return this.header >>> 4;
	}

	int flags() {
		return this.header & 15;
	}

	boolean atEnd() {
		return !this.content.hasRemaining();
	}

	int u8() {
		return this.content.get() & 0xFF;
	}

	int u16() {
		return this.content.getShort() & 0xFFFF;
	}

	byte[] binary() {
		byte[] value = new byte[u16()];
		this.content.get(value);
		return value;
	}

	String text() {
		return new String(binary(), StandardCharsets.UTF_8);
	}

	byte[] rest() {
		byte[] value = new byte[this.content.remaining()];
		this.content.get(value);
		return value;
	}

	private int varInt() {
		int value = 0;
		int shift = 0;
		int digit;
		do {
			digit = u8();
			value |= (digit & 127) << shift;
			shift += 7;
		}
		while (digit > 127);
		return value;
	}

	/** Every property by its identifier; user properties as name and value. */
	Map<Integer, List<Object>> properties() {
		Map<Integer, List<Object>> properties = new LinkedHashMap<>();
		int length = varInt();
		int end = this.content.position() + length;
		while (this.content.position() < end) {
			int identifier = varInt();
			properties.computeIfAbsent(identifier, (key) -> new ArrayList<>()).add(property(identifier));
		}
		return properties;
	}

	private Object property(int identifier) {
		return switch (identifier) {
			case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> (long) u8();
			case 0x13, 0x21, 0x22, 0x23 -> (long) u16();
			case 0x02, 0x11, 0x18, 0x27 -> this.content.getInt() & 0xFFFFFFFFL;
			case 0x0B -> (long) varInt();
			case 0x09, 0x16 -> binary();
			case 0x26 -> Map.entry(text(), text());
			default -> text();
		};
	}

}
