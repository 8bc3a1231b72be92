package io.statestore.client.mqtt.internal;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class NettyMessagesTests {

	private static ByteBuf encode(LinkMessage message) {
		ByteBuf packet = Unpooled.buffer();
		new Outgoing(message).write(packet, 7, false);
		return packet;
	}

	@ParameterizedTest
	@CsvSource({ "0, false, 0x30", "1, true, 0x33", "2, true, 0x35" })
	void publishesWithQosAndRetainedFlag(int qos, boolean retained, int header) {
		LinkMessage message = new LinkMessage("topic", new byte[1], qos, retained, false, null, null, null, null,
				List.of());
		assertThat(encode(message).readUnsignedByte()).isEqualTo((short) header);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100, 20_000 })
	void writesAnnouncedNumberOfBytes(int length) {
		LinkMessage message = new LinkMessage("b\u00e4ume/\ud83c\udf33", new byte[length], 1, false, true,
				4_000_000_000L, "text/plain", "answers", Bytes.of("c1"), List.of(new UserProperty("\u00e4", "\u20ac")));
		assertThat(encode(message).readableBytes()).isEqualTo((int) new Outgoing(message).size());
	}

	@Test
	void refusesTextThatMqttCannotTransport() {
		assertThatIllegalArgumentException().isThrownBy(() -> encode(new LinkMessage("x".repeat(65_536), new byte[0])))
			.withMessageContaining("65538 bytes");
	}

}
