package io.statestore.broker.mqtt;

import java.util.Arrays;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.constraints.UniqueElements;

import static org.assertj.core.api.Assertions.assertThat;

class OwnPublishTests {

	@Property(tries = 300)
	void knowsItsSizeBeforeItIsEncoded(@ForAll @IntRange(max = 1) int qos,
			@ForAll @StringLength(min = 1, max = 300) String topicText, @ForAll @Size(max = 40_000) byte[] payload,
			@ForAll boolean correlated, @ForAll @Size(max = 200) byte[] correlationData,
			@ForAll @Size(max = 5) List<@StringLength(max = 50) String> properties,
			@ForAll @UniqueElements @Size(max = 4) List<@IntRange(min = 1, max = 268_435_455) Integer> identifiers,
			@ForAll @IntRange(max = 2) int expirySeconds, @ForAll boolean retain) {
		OwnPublish publish = new OwnPublish(new OutgoingMessage(Kind.REPLY, topic(topicText), payload,
				correlated ? Bytes.wrap(correlationData) : null,
				properties.stream().map((text) -> new UserProperty(encodable(text), "v" + encodable(text))).toList()),
				qos, identifiers, expirySeconds, retain);
		EmbeddedChannel channel = new EmbeddedChannel(MqttEncoder.INSTANCE);
		// Tells the encoder that this is MQTT 5.
		channel.writeOutbound(NettyPackets.connect("c").build());
		((ByteBuf) channel.readOutbound()).release();
		channel.writeOutbound(publish.toPacket(qos));
		long size = 0;
		ByteBuf part = channel.readOutbound();
		while (part != null) {
			size += part.readableBytes();
			part.release();
			part = channel.readOutbound();
		}
		assertThat(publish.size()).isEqualTo(size);
		assertThatEncodedIsEqual(publish, publish.toPacket(7));
	}

	private static void assertThatEncodedIsEqual(OwnPublish publish, MqttPublishMessage expected) {
		ByteBuf encoded = publish.encode(UnpooledByteBufAllocator.DEFAULT, 7);
		assertThat(encoded.readableBytes()).isEqualTo(publish.size());
		MqttPublishMessage decoded = NettyPackets.decoded(encoded);
		assertThat(decoded.fixedHeader().qosLevel()).isEqualTo(expected.fixedHeader().qosLevel());
		assertThat(decoded.fixedHeader().isRetain()).isEqualTo(expected.fixedHeader().isRetain());
		assertThat(decoded.fixedHeader().isDup()).isFalse();
		assertThat(decoded.variableHeader().topicName()).isEqualTo(expected.variableHeader().topicName());
		if (publish.qos() > 0) {
			assertThat(decoded.variableHeader().packetId()).isEqualTo(7);
		}
		assertThat(describe(decoded)).containsExactlyInAnyOrderElementsOf(describe(expected));
		assertThat(decoded.payload()).isEqualTo(expected.payload());
		decoded.release();
	}

	private static List<String> describe(MqttPublishMessage publish) {
		return publish.variableHeader()
			.properties()
			.listAll()
			.stream()
			.map((property) -> property.propertyId() + "=" + describe(property.value()))
			.toList();
	}

	private static String describe(Object value) {
		if (value instanceof byte[] bytes) {
			return Arrays.toString(bytes);
		}
		return (value instanceof List<?> users) ? users.stream()
			.map(StringPair.class::cast)
			.map((user) -> user.key + ":" + user.value)
			.toList()
			.toString() : String.valueOf(value);
	}

	/** The decoder refuses wildcards. */
	private static String topic(String text) {
		return "t" + encodable(text).replaceAll("[+#\\x00]", "");
	}

	/** Lone surrogates have no UTF-8 form. */
	private static String encodable(String text) {
		return text.codePoints()
			.filter((point) -> point < 0xD800 || point > 0xDFFF)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

}
