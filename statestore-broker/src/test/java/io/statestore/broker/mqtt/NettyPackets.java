package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttVersion;

/** Decoded packets, for tests of handlers without a socket. */
public final class NettyPackets {

	private NettyPackets() {
	}

	/** Returns a CONNECT with clean start. */
	public static MqttMessageBuilders.ConnectBuilder connect(String clientId) {
		return MqttMessageBuilders.connect()
			.clientId(clientId)
			.protocolVersion(MqttVersion.MQTT_5)
			.cleanSession(true)
			.keepAlive(60);
	}

	/** Decodes an MQTT 5 PUBLISH and releases the bytes. */
	public static MqttPublishMessage decoded(ByteBuf packet) {
		EmbeddedChannel codec = codec();
		codec.writeInbound(packet);
		return codec.readInbound();
	}

	/** Returns the MQTT 5 packets that a channel has flushed since the last call. */
	static List<MqttMessage> flushed(EmbeddedChannel channel) {
		EmbeddedChannel codec = codec();
		List<MqttMessage> packets = new ArrayList<>();
		for (Object sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
			codec.writeInbound(sent);
			for (Object packet = codec.readInbound(); packet != null; packet = codec.readInbound()) {
				packets.add((MqttMessage) packet);
			}
		}
		return packets;
	}

	private static EmbeddedChannel codec() {
		// Uses one channel, because the encoder passes the MQTT version to the decoder.
		EmbeddedChannel codec = new EmbeddedChannel(MqttEncoder.INSTANCE, new MqttDecoder(300_000_000));
		codec.writeOutbound(connect("c").build());
		codec.releaseOutbound();
		return codec;
	}

	public static String text(MqttPublishMessage publish) {
		return publish.payload().toString(StandardCharsets.UTF_8);
	}

}
