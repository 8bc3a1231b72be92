package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
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

	/** Decodes a PUBLISH of MQTT 5, and releases the bytes. */
	public static MqttPublishMessage decoded(ByteBuf packet) {
		// In one channel: the encoder passes the version of MQTT to the decoder.
		EmbeddedChannel codec = new EmbeddedChannel(MqttEncoder.INSTANCE, new MqttDecoder(300_000_000));
		codec.writeOutbound(connect("c").build());
		codec.writeInbound(packet);
		MqttPublishMessage publish = codec.readInbound();
		codec.releaseOutbound();
		return publish;
	}

	public static String text(MqttPublishMessage publish) {
		return publish.payload().toString(StandardCharsets.UTF_8);
	}

}
