package io.statestore.test;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads MQTT packets and their parts. */
final class PacketReader extends DataInputStream {

	PacketReader(InputStream in) {
		super(in);
	}

	boolean atEnd() throws IOException {
		return available() == 0;
	}

	byte[] binary() throws IOException {
		return readNBytes(readUnsignedShort());
	}

	String text() throws IOException {
		return new String(binary(), StandardCharsets.UTF_8);
	}

	long u32() throws IOException {
		return readInt() & 0xFFFFFFFFL;
	}

	int varInt() throws IOException {
		int value = 0;
		int digit = 128;
		for (int shift = 0; digit > 127; shift += 7) {
			digit = readUnsignedByte();
			value |= (digit & 127) << shift;
		}
		return value;
	}

	/** Reads a length prefix and as many bytes. */
	PacketReader sized() throws IOException {
		return new PacketReader(new ByteArrayInputStream(readNBytes(varInt())));
	}

}
