package io.statestore.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.statestore.mqtt.ConnectionFailure.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PacketReaderTests {

	private static final int MAX_PACKET_SIZE = 2_000_000;

	private static final int MAX_PROPERTIES_SIZE = 64 * 1024;

	private static final String CONNACK = "2003000000";

	private final Recorder recorder = new Recorder();

	/** Latest number of buffered bytes. */
	private int buffered;

	private final PacketReader reader = new PacketReader(new ConnectionSettings("localhost", 1883, null,
			Duration.ofSeconds(1), MAX_PACKET_SIZE, MAX_PROPERTIES_SIZE, (bytes) -> this.buffered = bytes),
			this.recorder);

	private final EmbeddedChannel channel = new EmbeddedChannel(this.reader);

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	private void write(String hex) {
		this.channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
	}

	private void connected() {
		write(CONNACK);
		this.channel.<ByteBuf>readInbound().release();
	}

	private static ByteBuf publish(int payload, int properties) {
		String value = "v".repeat(properties);
		ByteBuf packet = Unpooled.buffer();
		new Message(new byte[payload], value).write(packet, 7, false);
		return packet;
	}

	@Test
	void decodesPublish() {
		connected();
		for (int i = 0; i < 2; i++) {
			// The second packet uses cached strings.
			this.channel.writeInbound(publish(3, 5));
		}
		assertThat(this.recorder.published).hasSize(2).allSatisfy((publish) -> {
			assertThat(publish.topic()).isEqualTo("t\u00f6pic");
			assertThat(publish.packetId()).isEqualTo(7);
			assertThat(publish.qos()).isEqualTo(1);
			assertThat(publish.isRetained()).isTrue();
			assertThat(publish.isSkipped()).isFalse();
			assertThat(publish.payload()).hasSize(3);
			assertThat(publish.contentType()).isEqualTo("text/plain");
			assertThat(publish.responseTopic()).isEqualTo("answers");
			assertThat(publish.correlationData()).isEqualTo("c1".getBytes(StandardCharsets.US_ASCII));
			assertThat(publish.expirySeconds()).isEqualTo(4_000_000_000L);
			assertThat(publish.payloadFormat()).isOne();
			assertThat(publish.userProperties()).containsExactly(new StringPair("name", "vvvvv"));
		});
	}

	@Test
	void decodesPublishThatArrivesByteByByte() {
		connected();
		ByteBuf packet = publish(300, 200);
		while (packet.isReadable()) {
			this.channel.writeInbound(packet.readRetainedSlice(1));
		}
		packet.release();
		assertThat(this.recorder.published).hasSize(1);
		assertThat(this.reader.progress().packets()).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "40020007, 7, 0", "4003000710, 7, 16", "4004FFFF8700, 65535, 135" })
	void decodesAcknowledgment(String packet, int id, int reasonCode) {
		connected();
		write(packet);
		assertThat(this.recorder.acknowledged).containsExactly(id + " " + reasonCode);
	}

	@Test
	void passesOtherPacketsInOneBuffer() {
		connected();
		write("9004000100");
		write("00D000");
		assertThat(this.channel.<ByteBuf>readInbound())
			.isEqualTo(Unpooled.wrappedBuffer(new byte[] { (byte) 0x90, 4, 0, 1, 0, 0 }));
		assertThat(this.channel.<ByteBuf>readInbound().readableBytes()).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "15030100020228, TLS_EXPECTED", "485454502F312E31, NOT_MQTT", "00, NOT_MQTT",
			"30050001610061, NOT_MQTT" })
	void detectsOtherProtocol(String answer, Kind kind) {
		write(answer);
		assertThat(this.recorder.failures).containsExactly(kind);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1003000000", "8203000000", "A203000000", "C000", "0000", "3000", "300100", "4001FF",
			"300400FF0000", "3603000161", "320700016100000061", "34080001610001000061", "300400012300",
			"300700016103230001", "300500012B0061", "300400000061", "300700016103010561", "30FFFFFFFF01",
			"300A00016104260001610000", "30080001610401010101" })
	void refusesMalformedPackets(String packet) {
		connected();
		write(packet);
		assertThat(this.recorder.failures).containsExactly(Kind.MALFORMED);
		write("40020007");
		assertThat(this.recorder.acknowledged).isEmpty();
	}

	@Test
	void skipsPublishWithTooLargeProperties() {
		connected();
		this.channel.writeInbound(publish(10, 3), publish(100, MAX_PROPERTIES_SIZE - 10), publish(10, 3));
		assertThat(this.recorder.published).extracting(Publish::isSkipped).containsExactly(false, true, false);
		assertThat(this.recorder.published).extracting(Publish::packetId).containsOnly(7);
		assertThat(this.recorder.published.get(1).propertiesSize()).isGreaterThan(MAX_PROPERTIES_SIZE);
		assertThat(this.buffered).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "20", "90", "B0", "50", "62", "70", "E0", "F0" })
	void limitsOtherPackets(String firstByte) {
		connected();
		write(firstByte + "80F104");
		assertThat(this.recorder.failures).containsExactly(Kind.MALFORMED);
	}

	@Test
	void limitsPublish() {
		connected();
		write("3081897A");
		assertThat(this.recorder.failures).containsExactly(Kind.MALFORMED);
	}

	@Test
	void reportsLargePacketWhileItArrives() {
		connected();
		ByteBuf packet = publish(1_500_000, 0);
		int arrived = packet.readableBytes() - 10;
		this.channel.writeInbound(packet.readRetainedSlice(arrived));
		assertThat(this.buffered).isEqualTo(arrived);
		assertThat(this.reader.progress()).isEqualTo(new Progress(1, arrived + CONNACK.length() / 2));
		this.channel.writeInbound(packet);
		assertThat(this.buffered).isZero();
		assertThat(this.recorder.published).hasSize(1);
	}

	/** Records what a connection would handle. */
	private static final class Recorder implements PacketReader.Receiver {

		private final List<Publish> published = new ArrayList<>();

		private final List<String> acknowledged = new ArrayList<>();

		private final List<Kind> failures = new ArrayList<>();

		@Override
		public void received() {
		}

		@Override
		public void published(Publish publish) {
			this.published.add(publish);
		}

		@Override
		public void acknowledged(int packetId, int reasonCode) {
			this.acknowledged.add(packetId + " " + reasonCode);
		}

		@Override
		public void failed(ConnectionFailure failure) {
			this.failures.add(failure.kind());
		}

		@Override
		public boolean isEnded() {
			return !this.failures.isEmpty();
		}

	}

	/** A retained message with all properties. */
	private static final class Message extends OutgoingPublish {

		private final String value;

		Message(byte[] content, String value) {
			super("t\u00f6pic", 1, true, content, properties(value).readableBytes());
			this.value = value;
		}

		private static ByteBuf properties(String value) {
			ByteBuf properties = Unpooled.buffer();
			writeProperties(properties, value);
			return properties;
		}

		@Override
		protected void writeProperties(ByteBuf out) {
			writeProperties(out, this.value);
		}

		private static void writeProperties(ByteBuf out, String value) {
			Properties.write(out, MqttProperties.CONTENT_TYPE, "text/plain");
			Properties.write(out, MqttProperties.RESPONSE_TOPIC, "answers");
			Properties.write(out, MqttProperties.CORRELATION_DATA, "c1".getBytes(StandardCharsets.US_ASCII));
			out.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt((int) 4_000_000_000L);
			VariableByteInteger.write(out.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER), 300);
			Properties.writeUser(out, "name", value);
			out.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(1);
		}

	}

}
