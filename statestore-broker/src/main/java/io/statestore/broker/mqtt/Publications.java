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

	/** Returns the size of the packet of a delivery, in bytes. */
	static long size(Delivery delivery, boolean mqtt5) {
		long remaining = remainingLength(delivery, mqtt5);
		return 1 + VariableByteInteger.lengthOf(remaining) + remaining;
	}

	private static long remainingLength(Delivery delivery, boolean mqtt5) {
		Message message = delivery.message();
		long properties = propertiesLength(delivery);
		return 2L + ByteBufUtil.utf8Bytes(message.topic()) + ((delivery.qos() > 0) ? 2 : 0)
				+ (mqtt5 ? VariableByteInteger.lengthOf(properties) + properties : 0) + message.payload().length;
	}

	private static long propertiesLength(Delivery delivery) {
		Message message = delivery.message();
		long length = message.properties().length + ((message.expiry() != Message.NEVER) ? 5 : 0);
		for (int identifier : delivery.identifiers()) {
			length += 1 + VariableByteInteger.lengthOf(identifier);
		}
		return length;
	}

	/**
	 * Encodes the packet of a delivery.
	 * @param allocator allocates the buffer
	 * @param delivery the delivery
	 * @param packetId packet identifier, ignored with QoS 0
	 * @param mqtt5 whether the client uses MQTT 5
	 * @param now log time
	 * @return the complete packet
	 */
	static ByteBuf encode(ByteBufAllocator allocator, Delivery delivery, int packetId, boolean mqtt5, long now) {
		Message message = delivery.message();
		ByteBuf packet = allocator.buffer((int) size(delivery, mqtt5));
		packet
			.writeByte(MqttMessageType.PUBLISH.value() << 4 | ((delivery.isRepeated() && delivery.qos() > 0) ? DUP : 0)
					| delivery.qos() << 1 | (delivery.retain() ? RETAIN : 0));
		VariableByteInteger.write(packet, remainingLength(delivery, mqtt5));
		writeText(packet, message.topic());
		if (delivery.qos() > 0) {
			packet.writeShort(packetId);
		}
		if (mqtt5) {
			VariableByteInteger.write(packet, propertiesLength(delivery));
			for (int identifier : delivery.identifiers()) {
				VariableByteInteger.write(packet.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER), identifier);
			}
			packet.writeBytes(message.properties());
			if (message.expiry() != Message.NEVER) {
				long seconds = Math.max(1, (message.expiry() - now + 999_999_999L) / 1_000_000_000L);
				packet.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt((int) seconds);
			}
		}
		return packet.writeBytes(message.payload());
	}

}
