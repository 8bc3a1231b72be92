package io.statestore.broker.artemis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.mqtt.NettyPackets;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TakeoverGuardTests {

	private final ConcurrentMap<String, TakeoverGuard> connections = new ConcurrentHashMap<>();

	private final EmbeddedChannel channel = new EmbeddedChannel(new TakeoverGuard(this.connections));

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void sendsDisconnectWithReasonFirst() {
		List<MqttMessage> unreleased = new ArrayList<>();
		this.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {

			private boolean stopped;

			@Override
			public void channelRead(ChannelHandlerContext context, Object message) {
				if (message instanceof MqttConnectMessage) {
					return;
				}
				if (this.stopped) {
					// Like Artemis, does not release the packet.
					unreleased.add((MqttMessage) message);
					context.writeAndFlush(Packets.disconnect(0x83, "stopped"), context.voidPromise());
				}
				else {
					// Like another thread of Artemis.
					context.executor().execute(() -> context.writeAndFlush(Packets.disconnect(0x94, "alias")));
					ReferenceCountUtil.release(message);
					this.stopped = true;
				}
			}

		});
		MqttPublishMessage[] publishes = { publish("x"), publish("x"), publish("x") };
		this.channel.writeInbound(NettyPackets.connect("c").build());
		this.channel.writeInbound((Object[]) publishes);
		List<Integer> reasons = new ArrayList<>();
		for (MqttMessage sent = this.channel.readOutbound(); sent != null; sent = this.channel.readOutbound()) {
			reasons.add(((MqttReasonCodeAndPropertiesVariableHeader) sent.variableHeader()).reasonCode() & 0xFF);
		}
		assertThat(reasons).containsExactly(0x94, 0x83);
		assertThat(unreleased).hasSize(1);
		assertThat(publishes).allMatch((publish) -> publish.refCnt() == 0);
	}

	@Test
	void dropsPacketsAfterTakeover() {
		this.channel.writeInbound(NettyPackets.connect("c").build());
		ReferenceCountUtil.release(this.channel.readInbound());
		EmbeddedChannel other = new EmbeddedChannel(new TakeoverGuard(this.connections));
		other.writeInbound(NettyPackets.connect("c").build());
		MqttPublishMessage publish = publish("x");
		this.channel.writeInbound(publish, Packets.pingRequest());
		assertThat(publish.refCnt()).isZero();
		assertThat(this.channel.<Object>readInbound()).isNull();
		this.channel.advanceTimeBy(11, TimeUnit.SECONDS);
		this.channel.runScheduledPendingTasks();
		assertThat(this.channel.isOpen()).isFalse();
		assertThat(this.connections).hasSize(1);
		other.finishAndReleaseAll();
		assertThat(this.connections).isEmpty();
	}

	@Test
	void copiesMessagesOfOlderVersionsToHeap() {
		this.channel.writeInbound(NettyPackets.connect("c").protocolVersion(MqttVersion.MQTT_3_1_1).build());
		ReferenceCountUtil.release(this.channel.readInbound());
		MqttPublishMessage publish = publish("x");
		this.channel.writeInbound(publish);
		MqttPublishMessage passed = this.channel.readInbound();
		assertThat(publish.refCnt()).isZero();
		assertThat(passed.payload().hasArray()).isTrue();
		assertThat(NettyPackets.text(passed)).isEqualTo("x");
	}

	private static MqttPublishMessage publish(String payload) {
		return new MqttPublishMessage(
				new MqttFixedHeader(MqttMessageType.PUBLISH, false, MqttQoS.AT_MOST_ONCE, false, payload.length()),
				new MqttPublishVariableHeader("a", 0), Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8));
	}

}
