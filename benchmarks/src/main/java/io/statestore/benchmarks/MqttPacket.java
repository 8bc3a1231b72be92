package io.statestore.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import org.jspecify.annotations.Nullable;

/** Packets of MQTT 5. */
final class MqttPacket {

	private MqttPacket() {
	}

	/** Returns a packet that announces a number of bytes after its fixed header. */
	static byte[] of(int header, int length, byte[] rest) {
		ByteArrayOutputStream packet = new ByteArrayOutputStream();
		packet.write(header);
		do {
			packet.write((length & 0x7F) | ((length > 0x7F) ? 0x80 : 0));
			length >>>= 7;
		}
		while (length > 0);
		packet.writeBytes(rest);
		return packet.toByteArray();
	}

	/**
	 * Returns what follows the fixed header of a CONNECT packet.
	 * @param properties properties with their length
	 * @param user the user name, or {@code null} for no login
	 */
	static byte[] connect(String clientId, byte[] properties, @Nullable String user) throws IOException {
		return body((body) -> {
			body.writeUTF("MQTT");
			body.write(new byte[] { 5, (byte) ((user != null) ? 0xC2 : 2), 0, 0 });
			body.write(properties);
			body.writeUTF(clientId);
			if (user != null) {
				body.writeUTF(user);
				body.writeUTF("wrong");
			}
		});
	}

	/** Returns what follows the fixed header of a packet. */
	static byte[] body(Body content) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		content.writeTo(new DataOutputStream(bytes));
		return bytes.toByteArray();
	}

	/** Content of a packet. */
	@FunctionalInterface
	interface Body {

		void writeTo(DataOutputStream output) throws IOException;

	}

}
