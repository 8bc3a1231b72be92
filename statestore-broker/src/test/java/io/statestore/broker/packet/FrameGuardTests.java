package io.statestore.broker.packet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.FrameGuard.RefusedPacketException;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.Publish;
import io.statestore.mqtt.VariableByteInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class FrameGuardTests {

	private static final int MAX_PACKET_SIZE = 4 * 1024 * 1024;

	private static final int MAX_PROPERTIES_SIZE = 64 * 1024;

	private final MemoryBudget budget = new MemoryBudget(2_000_000, 1_000_000);

	private final EmbeddedChannel encoder = new EmbeddedChannel(MqttEncoder.INSTANCE);

	private final EmbeddedChannel channel = new EmbeddedChannel(
			new FrameGuard(MAX_PACKET_SIZE, MAX_PROPERTIES_SIZE, this.budget.open()));

	@AfterEach
	void releaseBuffers() {
		this.encoder.finishAndReleaseAll();
		this.channel.finishAndReleaseAll();
	}

	@Test
	void passesPacketsOneByOneFromAnyPieces() {
		Random random = new Random(4711);
		List<byte[]> packets = new ArrayList<>();
		packets.add(connect(MqttVersion.MQTT_5));
		for (int i = 0; i < 200; i++) {
			packets.add(publish(random.nextInt(300), random.nextInt(5)));
		}
		byte[] stream = concatenated(packets);
		for (int position = 0; position < stream.length;) {
			int length = Math.min(1 + random.nextInt(random.nextBoolean() ? 3 : 700), stream.length - position);
			this.channel.writeInbound(Unpooled.copiedBuffer(stream, position, length));
			position += length;
		}
		for (byte[] packet : packets) {
			assertThat(received()).isEqualTo(packet);
		}
		assertThat(this.channel.inboundMessages()).isEmpty();
	}

	@Test
	void holdsIncompletePacket() {
		write(connect(MqttVersion.MQTT_5));
		received();
		byte[] publish = publish(100_000, 1_000);
		for (int i = 0; i < publish.length - 1; i++) {
			this.channel.writeInbound(Unpooled.wrappedBuffer(publish, i, 1));
			assertThat(this.channel.inboundMessages()).isEmpty();
		}
		this.channel.writeInbound(Unpooled.wrappedBuffer(publish, publish.length - 1, 1));
		assertThat(received()).isEqualTo(publish);
	}

	@Test
	void holdsPacketsWhileReadingIsSuspended() {
		List<byte[]> packets = List.of(connect(MqttVersion.MQTT_5), publish(10, 0), publish(20, 0));
		this.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {

			@Override
			public void channelRead(ChannelHandlerContext context, Object message) {
				context.channel().config().setAutoRead(false);
				context.fireChannelRead(message);
			}

		});
		write(concatenated(packets));
		for (byte[] packet : packets) {
			assertThat(received()).isEqualTo(packet);
			assertThat(this.channel.inboundMessages()).isEmpty();
			this.channel.config().setAutoRead(true);
			FrameGuard.resume(this.channel.pipeline());
			this.channel.runPendingTasks();
		}
	}

	@Test
	void passesHeldPacketsWhenConnectionEnds() {
		this.channel.config().setAutoRead(false);
		byte[] connect = connect(MqttVersion.MQTT_5);
		byte[] publish = publish(10, 0);
		write(concatenated(List.of(connect, publish)));
		assertThat(this.channel.inboundMessages()).isEmpty();
		this.channel.close();
		assertThat(received()).isEqualTo(connect);
		assertThat(received()).isEqualTo(publish);
	}

	@Test
	void discardsPacketsAfterTooLargeProperties() {
		write(connect(MqttVersion.MQTT_5));
		received();
		write(publish(0, MAX_PROPERTIES_SIZE / 5 + 1));
		assertThatTooLong();
		write(publish(0, 0));
		assertThat(this.channel.inboundMessages()).isEmpty();
	}

	@Test
	void acceptsPropertiesUpToLimit() {
		write(connect(MqttVersion.MQTT_5));
		received();
		byte[] publish = publish(10, MAX_PROPERTIES_SIZE / 5);
		write(publish);
		assertThat(received()).isEqualTo(publish);
	}

	@ParameterizedTest
	@ValueSource(strings = { "82", "A2", "40", "50", "62", "70", "E0", "F0" })
	void limitsPropertiesInEveryPacketType(String firstByte) {
		write(connect(MqttVersion.MQTT_5));
		received();
		int before = switch (firstByte.charAt(0)) {
			case '8', 'A' -> 2;
			case 'E', 'F' -> 1;
			default -> 3;
		};
		this.channel.writeInbound(packetWithLargeProperties(firstByte, before));
		assertThatTooLong();
	}

	@ParameterizedTest
	@ValueSource(strings = { "82", "A2", "40", "62", "C0", "E0" })
	void limitsSizeOfNonPublishPackets(String firstByte) {
		write(connect(MqttVersion.MQTT_3_1_1));
		received();
		// Remaining length 65,537.
		write(ByteBufUtil.decodeHexDump(firstByte + "818004"));
		assertThatTooLong();
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void acceptsSubscribeUpToLimit() {
		write(connect(MqttVersion.MQTT_5));
		received();
		byte[] subscribe = new byte[4 + MAX_PROPERTIES_SIZE];
		System.arraycopy(ByteBufUtil.decodeHexDump("82808004"), 0, subscribe, 0, 4);
		write(subscribe);
		assertThat(received()).isEqualTo(subscribe);
	}

	@ParameterizedTest
	@ValueSource(strings = { "20", "90", "B0", "D0" })
	void refusesServerOnlyPackets(String firstByte) {
		write(connect(MqttVersion.MQTT_5));
		received();
		write(ByteBufUtil.decodeHexDump(firstByte + "03000000"));
		MqttMessage refused = this.channel.readInbound();
		assertThat(refused.decoderResult().isFailure()).isTrue();
	}

	@Test
	void refusesSecondConnectInAnyVersion() {
		write(connect(MqttVersion.MQTT_5));
		received();
		write(connect(MqttVersion.MQTT_3_1_1));
		assertThatRefused(ReasonCodes.PROTOCOL_ERROR);
	}

	@Test
	void ignoresPropertiesBeforeMqtt5() {
		write(connect(MqttVersion.MQTT_3_1_1));
		received();
		// In MQTT 5 the payload would begin with a property length of 268,435,455.
		byte[] publish = ByteBufUtil.decodeHexDump("300700016BFFFFFF7F");
		write(publish);
		Publish received = this.channel.readInbound();
		assertThat(received.payload()).isEqualTo(ByteBufUtil.decodeHexDump("FFFFFF7F"));
	}

	@Test
	void refusesTooLargePacketAtItsHeader() {
		write(ByteBufUtil.decodeHexDump("30FFFFFF7F"));
		assertThatTooLong();
	}

	@Test
	void reservesBufferForArrivedPartOfLargePacket() {
		byte[] publish = publish(500_000, 0);
		this.channel.writeInbound(Unpooled.wrappedBuffer(publish, 0, 10));
		assertThat(this.budget.used()).isZero();
		this.channel.writeInbound(Unpooled.wrappedBuffer(publish, 10, 100_000));
		assertThat(this.budget.used(MemoryUse.INCOMING)).isEqualTo(131_072);
		this.channel.writeInbound(Unpooled.wrappedBuffer(publish, 100_010, 100_000));
		assertThat(this.budget.used(MemoryUse.INCOMING)).isEqualTo(262_144);
		this.channel.writeInbound(Unpooled.wrappedBuffer(publish, 200_010, publish.length - 200_010));
		assertThat(this.budget.used()).isZero();
		assertThat(received()).hasSize(publish.length);
	}

	@Test
	void refusesLargePacketWhenOutOfMemory() {
		byte[] publish = publish(1_200_000, 0);
		write(Arrays.copyOf(publish, 900_000));
		assertThat(this.channel.inboundMessages()).isEmpty();
		write(Arrays.copyOfRange(publish, 900_000, 1_100_000));
		assertThatRefused(ReasonCodes.QUOTA_EXCEEDED);
		assertThat(this.budget.used()).isZero();
		assertThat(this.budget.refused(MemoryUse.INCOMING)).isEqualTo(1);
	}

	@Test
	void refusesMalformedRemainingLength() {
		write(ByteBufUtil.decodeHexDump("30FFFFFFFF01"));
		MqttMessage refused = this.channel.readInbound();
		assertThat(refused.decoderResult().isFailure()).isTrue();
	}

	@Test
	void leavesShortAndUnknownPacketsToDecoder() {
		write(connect(MqttVersion.MQTT_5));
		received();
		for (String hex : List.of("0000", "8200", "E000", "C000", "4001FF")) {
			byte[] packet = ByteBufUtil.decodeHexDump(hex);
			write(packet);
			assertThat(received()).as(hex).isEqualTo(packet);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "3000", "300100", "300400FF0000", "3603000161", "3003000000", "30080001610401010101" })
	void refusesMalformedPublish(String packet) {
		write(connect(MqttVersion.MQTT_5));
		received();
		write(ByteBufUtil.decodeHexDump(packet));
		assertThatRefused(DecoderException.class);
	}

	@Test
	void refusesStringTooLargeAfterReplacingInvalidBytes() {
		write(connect(MqttVersion.MQTT_5));
		received();
		ByteBuf packet = Unpooled.buffer();
		int size = 22_000;
		VariableByteInteger.write(packet.writeByte(0x30), 3 + 3 + 3 + size);
		Properties.write(packet, "t");
		VariableByteInteger.write(packet, 3 + size);
		byte[] invalid = new byte[size];
		Arrays.fill(invalid, (byte) 0xFF);
		packet.writeByte(MqttProperties.RESPONSE_TOPIC).writeShort(size).writeBytes(invalid);
		this.channel.writeInbound(packet);
		assertThatRefused(DecoderException.class);
	}

	private static ByteBuf packetWithLargeProperties(String firstByte, int before) {
		ByteBuf packet = Unpooled.buffer();
		// Remaining length 80,000, property length 70,000.
		packet.writeBytes(ByteBufUtil.decodeHexDump(firstByte + "80F104"));
		packet.writeZero(before).writeBytes(ByteBufUtil.decodeHexDump("F0A204"));
		return packet.writeZero(80_000 - before - 3);
	}

	private void assertThatTooLong() {
		assertThatRefused(ReasonCodes.PACKET_TOO_LARGE);
	}

	private void assertThatRefused(int reasonCode) {
		MqttMessage refused = this.channel.readInbound();
		assertThat(refused.decoderResult().cause()).isInstanceOfSatisfying(RefusedPacketException.class,
				(cause) -> assertThat(cause.reasonCode()).isEqualTo(reasonCode));
	}

	private void assertThatRefused(Class<? extends Throwable> cause) {
		MqttMessage refused = this.channel.readInbound();
		assertThat(refused.decoderResult().cause()).isInstanceOf(cause);
	}

	private void write(byte[] bytes) {
		this.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
	}

	/** Returns the bytes of the next packet, which may have been decoded. */
	private byte[] received() {
		Object packet = this.channel.readInbound();
		if (packet instanceof Publish publish) {
			return publish(publish.payload().length, publish.userProperties().size());
		}
		ByteBuf frame = (ByteBuf) packet;
		try {
			return ByteBufUtil.getBytes(frame);
		}
		finally {
			frame.release();
		}
	}

	private byte[] connect(MqttVersion version) {
		return encoded(MqttMessageBuilders.connect().protocolVersion(version).clientId("c").build());
	}

	private byte[] publish(int payloadSize, int properties) {
		MqttProperties userProperties = new MqttProperties();
		for (int i = 0; i < properties; i++) {
			userProperties.add(new UserProperty("", ""));
		}
		return encoded(MqttMessageBuilders.publish()
			.topicName("topic")
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(1)
			.properties(userProperties)
			.payload(Unpooled.wrappedBuffer(new byte[payloadSize]))
			.build());
	}

	private byte[] encoded(MqttMessage message) {
		this.encoder.writeOutbound(message);
		ByteBuf packet = Unpooled.buffer();
		for (ByteBuf part = this.encoder.readOutbound(); part != null; part = this.encoder.readOutbound()) {
			packet.writeBytes(part);
			part.release();
		}
		return ByteBufUtil.getBytes(packet);
	}

	private static byte[] concatenated(List<byte[]> packets) {
		ByteBuf stream = Unpooled.buffer();
		packets.forEach(stream::writeBytes);
		return ByteBufUtil.getBytes(stream);
	}

}
