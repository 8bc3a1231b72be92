package io.statestore.test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Writes the parts of an MQTT 5 packet, which may be invalid if the test requires it. */
final class PacketWriter {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	PacketWriter u8(int value) {
		this.out.write(value);
		return this;
	}

	PacketWriter u16(int value) {
		return u8(value >>> 8).u8(value);
	}

	PacketWriter u32(long value) {
		return u16((int) (value >>> 16)).u16((int) value);
	}

	PacketWriter varInt(int value) {
		int rest = value;
		while (rest > 127) {
			u8((rest & 127) | 128);
			rest >>>= 7;
		}
		return u8(rest);
	}

	PacketWriter bytes(byte[] value) {
		this.out.writeBytes(value);
		return this;
	}

	PacketWriter binary(byte[] value) {
		return u16(value.length).bytes(value);
	}

	PacketWriter text(String value) {
		return binary(value.getBytes(StandardCharsets.UTF_8));
	}

	/** Writes the content after its length. */
	PacketWriter sized(Consumer<PacketWriter> content) {
		PacketWriter inner = new PacketWriter();
		content.accept(inner);
		return varInt(inner.out.size()).bytes(inner.out.toByteArray());
	}

	byte[] toByteArray() {
		return this.out.toByteArray();
	}

	static byte[] packet(int header, Consumer<PacketWriter> content) {
		return new PacketWriter().u8(header).sized(content).toByteArray();
	}

}
