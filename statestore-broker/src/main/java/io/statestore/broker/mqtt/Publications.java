package io.statestore.broker.mqtt;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.session.Message;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Converts PUBLISH packets, replies, and wills into session messages (MQTT 5 section
 * 3.3).
 */
final class Publications {

	private static final byte[] NONE = new byte[0];

	private Publications() {
	}

	/**
	 * Returns the message in a packet.
	 * @param publish a PUBLISH from a client
	 * @param publisher the publisher's client id
	 * @param now current log time
	 * @throws DecoderException if a topic is invalid, or a property is too long for a
	 * packet
	 */
	static Message message(Publish publish, String publisher, long now) {
		if (!areValid(publish.topic(), publish.responseTopic())) {
			throw new DecoderException("an invalid topic or Response Topic");
		}
		Long expiry = publish.expirySeconds();
		byte[] properties = (publish.propertiesSize() == 0) ? NONE : forwarded(publish.payloadFormat(),
				publish.contentType(), publish.responseTopic(), publish.correlationData(), publish.userProperties());
		return new Message(publish.topic(), properties, publish.payload(), publish.qos(), publish.isRetained(),
				(expiry != null) ? now + expiry * 1_000_000_000L : Message.NEVER, publisher);
	}

	/** Returns the message for a reply whose client has no subscription for it. */
	static Message message(OutgoingMessage reply) {
		byte[] properties = new OwnPublish(reply, 1, List.of()).properties();
		return new Message(reply.topic(), properties, reply.payload(), 1, false, Message.NEVER, "");
	}

	/** Returns the will properties that a server forwards. */
	static byte[] forwarded(MqttProperties properties) {
		Integer format = Packets.property(properties, MqttProperties.PAYLOAD_FORMAT_INDICATOR, Integer.class);
		return forwarded((format != null) ? format : Publish.NO_FORMAT,
				Packets.property(properties, MqttProperties.CONTENT_TYPE, String.class),
				Packets.property(properties, MqttProperties.RESPONSE_TOPIC, String.class),
				Packets.property(properties, MqttProperties.CORRELATION_DATA, byte[].class),
				Properties.userProperties(properties));
	}

	/** Encodes the properties that a server forwards, in packet format. */
	private static byte[] forwarded(int format, @Nullable String contentType, @Nullable String responseTopic,
			byte @Nullable [] correlationData, List<StringPair> userProperties) {
		ByteBuf bytes = Unpooled.buffer();
		if (format != Publish.NO_FORMAT) {
			// Must not be last: Netty 4.2 skips a final two-byte property if all
			// properties together take 128 bytes.
			bytes.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(format);
		}
		if (contentType != null) {
			writeText(bytes.writeByte(MqttProperties.CONTENT_TYPE), contentType);
		}
		if (responseTopic != null) {
			writeText(bytes.writeByte(MqttProperties.RESPONSE_TOPIC), responseTopic);
		}
		if (correlationData != null) {
			Properties.write(bytes, MqttProperties.CORRELATION_DATA, correlationData);
		}
		for (StringPair property : userProperties) {
			writeText(bytes.writeByte(MqttProperties.USER_PROPERTY), property.key);
			writeText(bytes, property.value);
		}
		return ByteBufUtil.getBytes(bytes);
	}

	private static void writeText(ByteBuf bytes, String text) {
		int size = Properties.size(text);
		if (size > Properties.MAX_SIZE) {
			throw new DecoderException("a property has " + size + " bytes");
		}
		Properties.write(bytes, text);
	}

	/**
	 * Returns whether a message has valid topics (MQTT 5 sections 3.3.2.3.5 and 4.7.3).
	 * The codec replaces invalid UTF-8 with characters that may take more bytes.
	 * @param topic topic of the message
	 * @param responseTopic the Response Topic, {@code null} if absent
	 */
	static boolean areValid(String topic, @Nullable String responseTopic) {
		return isValid(topic) && (responseTopic == null || isValid(responseTopic));
	}

	private static boolean isValid(String topic) {
		return !topic.isEmpty() && topic.indexOf('\0') < 0 && !TopicFilter.hasWildcard(topic)
				&& Properties.size(topic) <= Properties.MAX_SIZE;
	}

}
