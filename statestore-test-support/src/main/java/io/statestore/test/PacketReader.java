package io.statestore.test;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the parts of one MQTT 5 packet. */
final class PacketReader {

	private final int header;

	private final ByteBuffer content;

	PacketReader(int header, byte[] content) {
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

	int header() {
		return this.header;
	}

	PacketType type() {
		return PacketType.of(this.header >>> 4);
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

	int varInt() {
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

	long u32() {
		return this.content.getInt() & 0xFFFFFFFFL;
	}

	/** Reads elements after their total length. */
	<T> List<T> sized(Function<PacketReader, T> element) {
		List<T> elements = new ArrayList<>();
		int length = varInt();
		int end = this.content.position() + length;
		while (this.content.position() < end) {
			elements.add(element.apply(this));
		}
		return elements;
	}

}
