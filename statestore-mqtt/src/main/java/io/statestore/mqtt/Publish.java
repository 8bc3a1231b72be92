package io.statestore.mqtt;

import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import org.jspecify.annotations.Nullable;

/** A received PUBLISH (MQTT 5 section 3.3). Arrays are not copied. */
public final class Publish {

	/** Stands for an absent Payload Format Indicator. */
	public static final int NO_FORMAT = -1;

	private final String topic;

	private final FrameHeader header;

	private final int packetId;

	private final int propertiesSize;

	private final boolean skipped;

	private int payloadFormat = NO_FORMAT;

	private boolean topicAlias;

	private @Nullable Long expirySeconds;

	private @Nullable String contentType;

	private @Nullable String responseTopic;

	private byte @Nullable [] correlationData;

	private List<StringPair> userProperties = List.of();

	private List<Integer> subscriptionIdentifiers = List.of();

	private final byte[] payload;

	/**
	 * Decodes a packet.
	 * @param header the fixed header
	 * @param in the packet without its fixed header, and nothing else
	 * @param mqtt5 whether the packet has properties
	 * @param maxPropertiesSize maximum size of the properties, in bytes; a message with
	 * larger properties is {@linkplain #isSkipped() skipped}
	 * @throws DecoderException if the packet is malformed
	 * @throws IndexOutOfBoundsException if the packet ends early
	 */
	public Publish(FrameHeader header, ByteBuf in, boolean mqtt5, int maxPropertiesSize) {
		TextCache texts = TextCache.ofThread();
		this.header = header;
		this.topic = texts.read(in);
		if (header.qos() > 2 || this.topic.indexOf('#') >= 0 || this.topic.indexOf('+') >= 0) {
			throw new DecoderException("A PUBLISH has an invalid topic or QoS");
		}
		this.packetId = (header.qos() > 0) ? in.readUnsignedShort() : 0;
		if (header.qos() > 0 && this.packetId == 0) {
			throw new DecoderException("A PUBLISH has no packet identifier");
		}
		int size = mqtt5 ? VariableByteInteger.read(in) : 0;
		this.propertiesSize = size;
		this.skipped = size > maxPropertiesSize;
		if (size < 0 || size > in.readableBytes()) {
			throw new DecoderException("The property length is malformed");
		}
		int end = in.readerIndex() + size;
		long seen = 0;
		while (in.readerIndex() < end && !this.skipped) {
			int type = in.readUnsignedByte();
			boolean once = type != MqttProperties.USER_PROPERTY && type != MqttProperties.SUBSCRIPTION_IDENTIFIER;
			if (once && (seen & 1L << type) != 0) {
				throw new DecoderException("A PUBLISH has the property " + type + " twice");
			}
			seen |= 1L << type;
			readProperty(type, in, texts);
		}
		if (in.readerIndex() > end) {
			throw new DecoderException("The properties exceed their length");
		}
		if (this.topic.isEmpty() && !this.topicAlias && !this.skipped) {
			throw new DecoderException("A PUBLISH has no topic");
		}
		this.payload = this.skipped ? new byte[0] : ByteBufUtil.getBytes(in);
	}

	private void readProperty(int type, ByteBuf in, TextCache texts) {
		switch (type) {
			case MqttProperties.PAYLOAD_FORMAT_INDICATOR -> this.payloadFormat = in.readUnsignedByte();
			case MqttProperties.TOPIC_ALIAS -> {
				in.readUnsignedShort();
				this.topicAlias = true;
			}
			case MqttProperties.PUBLICATION_EXPIRY_INTERVAL -> this.expirySeconds = in.readUnsignedInt();
			case MqttProperties.CONTENT_TYPE -> this.contentType = texts.read(in);
			case MqttProperties.RESPONSE_TOPIC -> this.responseTopic = Properties.read(in);
			case MqttProperties.CORRELATION_DATA -> {
				this.correlationData = new byte[in.readUnsignedShort()];
				in.readBytes(this.correlationData);
			}
			case MqttProperties.SUBSCRIPTION_IDENTIFIER -> {
				if (this.subscriptionIdentifiers.isEmpty()) {
					this.subscriptionIdentifiers = new ArrayList<>(1);
				}
				this.subscriptionIdentifiers.add(VariableByteInteger.read(in));
			}
			case MqttProperties.USER_PROPERTY -> {
				if (this.userProperties.isEmpty()) {
					this.userProperties = new ArrayList<>(4);
				}
				this.userProperties.add(new StringPair(texts.read(in), Properties.read(in)));
			}
			default -> throw new DecoderException("A PUBLISH has the property " + type);
		}
	}

	/**
	 * Returns whether the message was not decoded because its properties are too large.
	 * @return {@code true} if this object has neither the properties nor the payload
	 */
	public boolean isSkipped() {
		return this.skipped;
	}

	/**
	 * Returns the size of the properties.
	 * @return number of bytes
	 */
	public int propertiesSize() {
		return this.propertiesSize;
	}

	/**
	 * Returns the topic.
	 * @return a topic name
	 */
	public String topic() {
		return this.topic;
	}

	/**
	 * Returns whether the message uses a topic alias in place of the topic, or defines
	 * one.
	 * @return whether the message has a topic alias
	 */
	public boolean hasTopicAlias() {
		return this.topicAlias;
	}

	/**
	 * Returns the quality of service.
	 * @return 0 to 2
	 */
	public int qos() {
		return this.header.qos();
	}

	/**
	 * Returns whether the message may have been delivered before.
	 * @return the DUP flag
	 */
	public boolean isRepeated() {
		return this.header.isDup();
	}

	/**
	 * Returns whether the receiver must retain the message or, in a message from a
	 * broker, whether the broker had already retained it.
	 * @return the RETAIN flag
	 */
	public boolean isRetained() {
		return this.header.isRetain();
	}

	/**
	 * Returns the packet identifier to acknowledge.
	 * @return the identifier, 0 for QoS 0
	 */
	public int packetId() {
		return this.packetId;
	}

	/**
	 * Returns the Payload Format Indicator.
	 * @return the indicator, which is 1 for UTF-8, or {@link #NO_FORMAT}
	 */
	public int payloadFormat() {
		return this.payloadFormat;
	}

	/**
	 * Returns the Message Expiry Interval.
	 * @return the interval in seconds, or {@code null} for none
	 */
	public @Nullable Long expirySeconds() {
		return this.expirySeconds;
	}

	/**
	 * Returns the media type of the payload.
	 * @return the media type, or {@code null} if unknown
	 */
	public @Nullable String contentType() {
		return this.contentType;
	}

	/**
	 * Returns the topic for the reply.
	 * @return a topic name, or {@code null} if no reply is expected
	 */
	public @Nullable String responseTopic() {
		return this.responseTopic;
	}

	/**
	 * Returns the data that relates a reply to its request.
	 * @return the Correlation Data, or {@code null} if absent
	 */
	public byte @Nullable [] correlationData() {
		return this.correlationData;
	}

	/**
	 * Returns the user properties.
	 * @return name-value pairs, in packet order
	 */
	public List<StringPair> userProperties() {
		return this.userProperties;
	}

	/**
	 * Returns the Subscription Identifiers.
	 * @return identifiers of the subscriptions that the message matches
	 */
	public List<Integer> subscriptionIdentifiers() {
		return this.subscriptionIdentifiers;
	}

	/**
	 * Returns the remaining length of the packet.
	 * @return number of bytes
	 */
	public int size() {
		return this.header.remainingLength();
	}

	/**
	 * Returns the payload.
	 * @return the bytes, which are not copied
	 */
	public byte[] payload() {
		return this.payload;
	}

}
