package io.statestore.mqtt;

import java.nio.charset.StandardCharsets;
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

	private final String topic;

	private final FrameHeader header;

	private final int packetId;

	private final int propertiesSize;

	private final boolean skipped;

	private boolean text;

	private @Nullable Long expirySeconds;

	private @Nullable String contentType;

	private @Nullable String responseTopic;

	private byte @Nullable [] correlationData;

	private List<StringPair> userProperties = List.of();

	private final byte[] payload;

	/**
	 * Decodes a packet.
	 * @param in the packet behind its fixed header, and nothing else
	 * @param maxPropertiesSize size of the properties above which they are not decoded
	 * @throws DecoderException if the packet is malformed
	 * @throws IndexOutOfBoundsException likewise
	 */
	Publish(FrameHeader header, ByteBuf in, TextCache texts, int maxPropertiesSize) {
		this.header = header;
		this.topic = texts.read(in);
		if (header.qos() > 1 || this.topic.isEmpty() || this.topic.indexOf('#') >= 0 || this.topic.indexOf('+') >= 0) {
			throw new DecoderException("A PUBLISH has an invalid topic or QoS");
		}
		this.packetId = (header.qos() > 0) ? in.readUnsignedShort() : 0;
		if (header.qos() > 0 && this.packetId == 0) {
			throw new DecoderException("A PUBLISH has no packet identifier");
		}
		int size = VariableByteInteger.read(in);
		this.propertiesSize = size;
		this.skipped = size > maxPropertiesSize;
		if (size < 0 || size > in.readableBytes()) {
			throw new DecoderException("The property length is malformed");
		}
		int end = in.readerIndex() + size;
		while (in.readerIndex() < end && !this.skipped) {
			readProperty(in, texts);
		}
		if (in.readerIndex() > end) {
			throw new DecoderException("The properties exceed their length");
		}
		this.payload = this.skipped ? new byte[0] : ByteBufUtil.getBytes(in);
	}

	private void readProperty(ByteBuf in, TextCache texts) {
		int type = in.readUnsignedByte();
		switch (type) {
			case MqttProperties.PAYLOAD_FORMAT_INDICATOR -> this.text = in.readUnsignedByte() == 1;
			case MqttProperties.PUBLICATION_EXPIRY_INTERVAL -> this.expirySeconds = in.readUnsignedInt();
			case MqttProperties.CONTENT_TYPE -> this.contentType = texts.read(in);
			case MqttProperties.RESPONSE_TOPIC -> this.responseTopic = readText(in);
			case MqttProperties.CORRELATION_DATA -> {
				this.correlationData = new byte[in.readUnsignedShort()];
				in.readBytes(this.correlationData);
			}
			case MqttProperties.SUBSCRIPTION_IDENTIFIER -> VariableByteInteger.read(in);
			case MqttProperties.USER_PROPERTY -> {
				if (this.userProperties.isEmpty()) {
					this.userProperties = new ArrayList<>(4);
				}
				this.userProperties.add(new StringPair(texts.read(in), readText(in)));
			}
			default -> throw new DecoderException("A PUBLISH has the property " + type);
		}
	}

	private static String readText(ByteBuf in) {
		return in.readCharSequence(in.readUnsignedShort(), StandardCharsets.UTF_8).toString();
	}

	/**
	 * Returns whether the message was not decoded because its properties are too large.
	 * @return whether it has neither properties nor a payload
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
	 * Returns the quality of service.
	 * @return 0 or 1, because no subscription asks for more
	 */
	public int qos() {
		return this.header.qos();
	}

	/**
	 * Returns whether the broker had stored the message before the subscription.
	 * @return whether the message is a retained one
	 */
	public boolean isRetained() {
		return this.header.isRetain();
	}

	/**
	 * Returns the packet identifier to acknowledge.
	 * @return the identifier, 0 with QoS 0
	 */
	public int packetId() {
		return this.packetId;
	}

	/**
	 * Returns whether the payload is declared to be UTF-8.
	 * @return the Payload Format Indicator
	 */
	public boolean isText() {
		return this.text;
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
	 * Returns the data that identifies the request of a reply.
	 * @return the data, or {@code null} for none
	 */
	public byte @Nullable [] correlationData() {
		return this.correlationData;
	}

	/**
	 * Returns the user properties.
	 * @return name-value pairs in order
	 */
	public List<StringPair> userProperties() {
		return this.userProperties;
	}

	/**
	 * Returns the payload.
	 * @return the bytes
	 */
	public byte[] payload() {
		return this.payload;
	}

}
