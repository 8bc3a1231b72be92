package io.statestore.broker.packet;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.mqtt.Publish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Packets whose last properties are short and follow many bytes of other properties. */
class LastPropertyTests {

	private static final int MAX_SIZE = 8 * 1024 * 1024;

	private static final byte[] FORMAT = { 1, 1 };

	private static final byte[] ALIAS = { 0x23, 0, 9 };

	private static final byte[] FORMAT_AND_ALIAS = { 1, 1, 0x23, 0, 9 };

	private final EmbeddedChannel channel = new EmbeddedChannel(
			new FrameGuard(MAX_SIZE, MAX_SIZE, new MemoryBudget(64L * MAX_SIZE, 64L * MAX_SIZE).open()),
			new MqttDecoder(MAX_SIZE));

	@BeforeEach
	void connect() {
		ByteBuf connect = Unpooled.buffer();
		string(connect, "MQTT");
		connect.writeBytes(new byte[] { 5, 2, 0, 30, 0 });
		string(connect, "client");
		MqttMessage decoded = send(0x10, connect);
		assertThat(decoded.decoderResult().isSuccess()).isTrue();
	}

	@AfterEach
	void releaseBuffers() {
		this.channel.finishAndReleaseAll();
	}

	static IntStream sizes() {
		// Sizes around those at which the property length takes another byte.
		return IntStream.of(100, 122, 123, 124, 125, 126, 127, 128, 200, 16_376, 16_378, 16_379, 16_380, 16_381, 16_382,
				16_383, 2_097_145, 2_097_147, 2_097_150);
	}

	@ParameterizedTest
	@MethodSource("sizes")
	void keepsPayload(int size) {
		for (byte[] last : new byte[][] { FORMAT, ALIAS, FORMAT_AND_ALIAS }) {
			assertPublish(publish(size, last, "hello"), "hello", (last == ALIAS) ? Publish.NO_FORMAT : 1);
			assertPublish(publish(size, last, ""), "", (last == ALIAS) ? Publish.NO_FORMAT : 1);
		}
	}

	@Test
	void connectKeepsPropertiesAndWill() {
		ByteBuf body = Unpooled.buffer();
		string(body, "MQTT");
		body.writeBytes(new byte[] { 5, 6, 0, 30 });
		properties(body, 300, new byte[] { 23, 1 });
		string(body, "client");
		properties(body, 20_000, ALIAS);
		string(body, "wills");
		string(body, "gone");
		EmbeddedChannel other = new EmbeddedChannel(
				new FrameGuard(MAX_SIZE, MAX_SIZE, new MemoryBudget(64L * MAX_SIZE, 64L * MAX_SIZE).open()),
				new MqttDecoder(MAX_SIZE));
		other.writeInbound(packet(0x10, body));
		MqttConnectMessage decoded = other.readInbound();
		assertThat(decoded.decoderResult().isSuccess()).isTrue();
		assertThat(decoded.payload().clientIdentifier()).isEqualTo("client");
		assertThat(decoded.payload().willTopic()).isEqualTo("wills");
		assertThat(decoded.payload().willMessageInBytes()).isEqualTo("gone".getBytes(StandardCharsets.UTF_8));
		assertThat(value(decoded.variableHeader().properties(), 23)).isEqualTo(1);
		assertThat(value(decoded.payload().willProperties(), 0x23)).isEqualTo(9);
		other.finishAndReleaseAll();
	}

	@Test
	void subscribeKeepsFilter() {
		ByteBuf body = Unpooled.buffer().writeShort(3);
		properties(body, 300, new byte[] { 11, 5 });
		string(body, "a/b");
		body.writeByte(1);
		MqttSubscribeMessage decoded = send(0x82, body);
		assertThat(decoded.payload().topicSubscriptions().get(0).topicFilter()).isEqualTo("a/b");
		assertThat(value(((MqttMessageIdAndPropertiesVariableHeader) decoded.variableHeader()).properties(), 11))
			.isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0xE0, 0xF0 })
	void disconnectAndAuthKeepShortProperty(int type) {
		ByteBuf body = Unpooled.buffer().writeByte(0);
		properties(body, 300, FORMAT);
		MqttMessage decoded = send(type, body);
		assertThat(value(((MqttReasonCodeAndPropertiesVariableHeader) decoded.variableHeader()).properties(), 1))
			.isEqualTo(1);
	}

	@Test
	void keepsUserPropertyOrder() {
		ByteBuf body = Unpooled.buffer();
		string(body, "t");
		ByteBuf properties = Unpooled.buffer();
		for (int i = 0; i < 30; i++) {
			properties.writeByte(38);
			string(properties, "k" + i);
			string(properties, "v");
		}
		properties.writeBytes(FORMAT);
		length(body, properties.readableBytes());
		Publish decoded = send(0x30, body.writeBytes(properties));
		assertThat(decoded.userProperties()).extracting((pair) -> pair.key)
			.isEqualTo(IntStream.range(0, 30).mapToObj((i) -> "k" + i).toList());
	}

	@ParameterizedTest
	@CsvSource({ "300, 1", "300, 2", "300, 3", "300, 4", "300, 100", "100, 1", "7, 6" })
	void refusesPropertyBeyondPropertyLength(int size, int cut) {
		ByteBuf body = Unpooled.buffer();
		string(body, "t");
		length(body, size - cut);
		properties(body, size, new byte[0], false);
		body.writeBytes("hello".getBytes(StandardCharsets.UTF_8));
		assertThat(this.<MqttMessage>send(0x30, body).decoderResult().isFailure()).isTrue();
	}

	private void assertPublish(ByteBuf body, String payload, int format) {
		Publish decoded = send(0x30, body);
		assertThat(decoded.payload()).asString(StandardCharsets.UTF_8).isEqualTo(payload);
		assertThat(decoded.payloadFormat()).isEqualTo(format);
	}

	private static @Nullable Object value(MqttProperties properties, int id) {
		MqttProperties.MqttProperty<?> property = properties.getProperty(id);
		return (property != null) ? property.value() : null;
	}

	private <T> T send(int firstByte, ByteBuf body) {
		this.channel.writeInbound(packet(firstByte, body));
		T decoded = this.channel.readInbound();
		assertThat(decoded).isNotNull();
		assertThat(this.channel.<Object>readInbound()).isNull();
		return decoded;
	}

	private static ByteBuf packet(int firstByte, ByteBuf body) {
		ByteBuf packet = Unpooled.buffer().writeByte(firstByte);
		length(packet, body.readableBytes());
		return packet.writeBytes(body);
	}

	private static ByteBuf publish(int size, byte[] last, String payload) {
		ByteBuf body = Unpooled.buffer();
		string(body, "t");
		properties(body, size, last);
		return body.writeBytes(payload.getBytes(StandardCharsets.UTF_8));
	}

	private static void properties(ByteBuf body, int size, byte[] last) {
		properties(body, size, last, true);
	}

	/** Writes user properties of the given size, then the last properties. */
	private static void properties(ByteBuf body, int size, byte[] last, boolean prefix) {
		if (prefix) {
			length(body, size + last.length);
		}
		for (int left = size; left > 0;) {
			int length = (left <= 30_000) ? left : 20_000;
			body.writeByte(38);
			string(body, "k");
			string(body, "v".repeat(length - 6));
			left -= length;
		}
		body.writeBytes(last);
	}

	private static void string(ByteBuf target, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		target.writeShort(bytes.length).writeBytes(bytes);
	}

	private static void length(ByteBuf target, int length) {
		int left = length;
		do {
			target.writeByte((left & 0x7F) | ((left > 0x7F) ? 0x80 : 0));
			left >>= 7;
		}
		while (left > 0);
	}

}
