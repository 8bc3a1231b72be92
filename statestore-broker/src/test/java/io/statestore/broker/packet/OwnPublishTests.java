package io.statestore.broker.packet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.mqtt.NettyPackets;
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

	@Property(tries = 100)
	void encodesWithAnnouncedSize(@ForAll @IntRange(max = 1) int qos,
			@ForAll @StringLength(min = 1, max = 300) String topicText, @ForAll @Size(max = 40_000) byte[] payload,
			@ForAll boolean correlated, @ForAll @Size(max = 200) byte[] correlationData,
			@ForAll @Size(max = 5) List<@StringLength(max = 50) String> properties,
			@ForAll @UniqueElements @Size(max = 4) List<@IntRange(min = 1, max = 268_435_455) Integer> identifiers,
			@ForAll @IntRange(max = 2) int expirySeconds, @ForAll boolean retain, @ForAll boolean repeated) {
		OwnPublish publish = new OwnPublish(new OutgoingMessage(Kind.REPLY, topic(topicText), payload,
				correlated ? Bytes.wrap(correlationData) : null,
				properties.stream().map((text) -> new UserProperty(encodable(text), "v" + encodable(text))).toList()),
				qos, identifiers, expirySeconds, retain);
		ByteBuf encoded = Unpooled.buffer();
		publish.write(encoded, 7, repeated);
		assertThat(encoded.readableBytes()).isEqualTo(publish.size());
		MqttPublishMessage decoded = NettyPackets.decoded(encoded);
		assertThat(decoded.fixedHeader().qosLevel().value()).isEqualTo(qos);
		assertThat(decoded.fixedHeader().isRetain()).isEqualTo(retain);
		assertThat(decoded.fixedHeader().isDup()).isEqualTo(repeated && qos > 0);
		assertThat(decoded.variableHeader().topicName()).isEqualTo(publish.message().topic());
		if (qos > 0) {
			assertThat(decoded.variableHeader().packetId()).isEqualTo(7);
		}
		assertThat(describe(decoded))
			.containsExactlyInAnyOrderElementsOf(describe(publish.message(), identifiers, expirySeconds));
		assertThat(ByteBufUtil.getBytes(decoded.payload())).isEqualTo(payload);
		decoded.release();
	}

	/** Returns the expected properties, in the format of {@link #describe(Object)}. */
	private static List<String> describe(OutgoingMessage message, List<Integer> identifiers, int expirySeconds) {
		List<String> properties = new ArrayList<>(List.of("1=0", "3=" + OwnPublish.CONTENT_TYPE));
		if (expirySeconds > 0) {
			properties.add("2=" + expirySeconds);
		}
		Bytes correlationData = message.correlationData();
		if (correlationData != null) {
			properties.add("9=" + Arrays.toString(correlationData.toArray()));
		}
		identifiers.forEach((identifier) -> properties.add("11=" + identifier));
		List<UserProperty> users = message.userProperties();
		if (!users.isEmpty()) {
			properties.add("38=" + users.stream().map((user) -> user.name() + ":" + user.value()).toList());
		}
		return properties;
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

	/** Replaces lone surrogates, which cannot be encoded in UTF-8. */
	private static String encodable(String text) {
		return text.codePoints()
			.filter((point) -> point < 0xD800 || point > 0xDFFF)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

}
