package io.statestore.broker.mqtt;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.packet.Requests;
import io.statestore.mqtt.VariableByteInteger;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;

/** Converts between PUBLISH packets and the messages of sessions (MQTT 5 section 3.3). */
final class Publications {

	private static final int MAX_TEXT = 0xFFFF;

	private static final byte[] NONE = new byte[0];

	/** Properties with a text that a server forwards. */
	private static final int[] TEXTS = { MqttProperties.CONTENT_TYPE, MqttProperties.RESPONSE_TOPIC };

	private static final int DUP = 1 << 3;

	private static final int RETAIN = 1;

	private Publications() {
	}

	/**
	 * Returns the message of a packet.
	 * @param publish the PUBLISH, whose reference is not taken over
	 * @param publisher client id of the publisher
	 * @param now log time
	 * @throws DecoderException if no packet can contain the topic or a property
	 */
	static Message message(MqttPublishMessage publish, String publisher, long now) {
		MqttProperties properties = publish.variableHeader().properties();
		return new Message(requireValid(publish.variableHeader().topicName()), forwarded(properties),
				ByteBufUtil.getBytes(publish.payload()), publish.fixedHeader().qosLevel().value(),
				publish.fixedHeader().isRetain(), expiry(properties, now), publisher);
	}

	/** Returns the message of a reply without a subscription of its client. */
	static Message message(OutgoingMessage reply) {
		byte[] properties = new OwnPublish(reply, 1, List.of()).properties();
		return new Message(reply.topic(), properties, reply.payload(), 1, false, Message.NEVER, "");
	}

	/**
	 * Returns the log time in nanoseconds at which a message expires.
	 * @param properties the properties of its PUBLISH
	 * @param now log time in nanoseconds
	 * @return the time, {@link Message#NEVER} without a Message Expiry Interval
	 */
	static long expiry(MqttProperties properties, long now) {
		long seconds = Packets.interval(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, -1);
		return (seconds >= 0) ? now + seconds * 1_000_000_000L : Message.NEVER;
	}

	/** Returns the properties that a server forwards, as they are in a packet. */
	static byte[] forwarded(MqttProperties properties) {
		if (properties.isEmpty()) {
			return NONE;
		}
		ByteBuf bytes = Unpooled.buffer();
		Integer format = Packets.property(properties, MqttProperties.PAYLOAD_FORMAT_INDICATOR, Integer.class);
		if (format != null) {
			// Not last: Netty 4.2 skips a final property of two bytes if all take 128.
			bytes.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(format);
		}
		for (int type : TEXTS) {
			String text = Packets.property(properties, type, String.class);
			if (text != null) {
				writeText(bytes.writeByte(type), text);
			}
		}
		byte[] data = Packets.property(properties, MqttProperties.CORRELATION_DATA, byte[].class);
		if (data != null) {
			bytes.writeByte(MqttProperties.CORRELATION_DATA).writeShort(data.length).writeBytes(data);
		}
		for (UserProperty each : Requests.userProperties(properties)) {
			writeText(bytes.writeByte(MqttProperties.USER_PROPERTY), each.name());
			writeText(bytes, each.value());
		}
		return ByteBufUtil.getBytes(bytes);
	}

	private static void writeText(ByteBuf bytes, String text) {
		int length = ByteBufUtil.utf8Bytes(text);
		if (length > MAX_TEXT) {
			throw new DecoderException("a property has " + length + " bytes");
		}
		bytes.writeShort(length);
		ByteBufUtil.writeUtf8(bytes, text);
	}

	/**
	 * Returns a topic after checking its length. The codec replaces invalid UTF-8 by
	 * characters that may take more bytes.
	 * @throws DecoderException if no packet can contain the topic
	 */
	static String requireValid(String topic) {
		if (topic.isEmpty() || topic.indexOf('\0') >= 0 || ByteBufUtil.utf8Bytes(topic) > MAX_TEXT) {
			throw new DecoderException("an invalid topic");
		}
		return topic;
	}

}
