package io.statestore.broker.mqtt;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttEncoder;
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
			@ForAll @StringLength(min = 1, max = 300) String topic, @ForAll @Size(max = 40_000) byte[] payload,
			@ForAll boolean correlated, @ForAll @Size(max = 200) byte[] correlationData,
			@ForAll @Size(max = 5) List<@StringLength(max = 50) String> properties,
			@ForAll @UniqueElements @Size(max = 4) List<@IntRange(min = 1, max = 268_435_455) Integer> identifiers) {
		OwnPublish publish = new OwnPublish(new OutgoingMessage(Kind.REPLY, encodable(topic), payload,
				correlated ? Bytes.wrap(correlationData) : null,
				properties.stream().map((text) -> new UserProperty(encodable(text), "v" + encodable(text))).toList()),
				qos, identifiers);
		EmbeddedChannel channel = new EmbeddedChannel(MqttEncoder.INSTANCE);
		// Tells the encoder that this is MQTT 5.
		channel.writeOutbound(RawClient.connectBuilder("c").build());
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
	}

	/** Lone surrogates have no UTF-8 form. */
	private static String encodable(String text) {
		return text.codePoints()
			.filter((point) -> point < 0xD800 || point > 0xDFFF)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

}
