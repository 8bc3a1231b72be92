package io.statestore.broker.packet;

import java.util.Collection;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.VariableByteInteger;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A state store message as an MQTT 5 PUBLISH (MQTT 5 section 3.3) that does not have a
 * packet identifier yet.
 * <p>
 * Internal: not part of the API.
 */
public final class OwnPublish extends OutgoingPublish {

	/** Content type of all state store messages. */
	public static final String CONTENT_TYPE = "application/octet-stream";

	private static final int CONTENT_TYPE_SIZE = Properties.size(CONTENT_TYPE);

	/** Size of the length field of a binary value, in bytes. */
	private static final int LENGTH = 2;

	private final OutgoingMessage message;

	private final Collection<Integer> subscriptionIdentifiers;

	private final int expirySeconds;

	/**
	 * Creates a message that does not expire and is not retained.
	 * @param message the reply or notification
	 * @param qos QoS level, 0 or 1
	 * @param subscriptionIdentifiers identifiers of the subscriptions that the message
	 * matches
	 */
	public OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers) {
		this(message, qos, subscriptionIdentifiers, 0, false);
	}

	/**
	 * Creates a message.
	 * @param message the reply or notification
	 * @param qos QoS level, 0 or 1
	 * @param subscriptionIdentifiers identifiers of the subscriptions that the message
	 * matches
	 * @param expirySeconds how long a broker keeps the message for a disconnected
	 * receiver, in seconds; 0 for no limit
	 * @param retain whether the broker must retain the message
	 */
	public OwnPublish(OutgoingMessage message, int qos, Collection<Integer> subscriptionIdentifiers, int expirySeconds,
			boolean retain) {
		super(message.topic(), qos, retain, message.payload(),
				propertiesSize(message, subscriptionIdentifiers, expirySeconds));
		this.message = message;
		this.subscriptionIdentifiers = subscriptionIdentifiers;
		this.expirySeconds = expirySeconds;
	}

	/**
	 * Returns the published message.
	 * @return the reply or notification
	 */
	public OutgoingMessage message() {
		return this.message;
	}

	/**
	 * Returns this message in a form that does not exceed a size, if necessary without
	 * its trace context.
	 * @param maxSize the receiver's maximum packet size, in bytes
	 * @return the message, {@code null} if it is too large in any case
	 */
	public @Nullable OwnPublish within(long maxSize) {
		if (size() <= maxSize) {
			return this;
		}
		OwnPublish smaller = new OwnPublish(this.message.withoutTraceContext(), qos(), this.subscriptionIdentifiers,
				this.expirySeconds, isRetain());
		return (smaller.size() <= maxSize) ? smaller : null;
	}

	/**
	 * Returns the properties in packet format.
	 * @return a new array
	 */
	public byte[] properties() {
		ByteBuf properties = Unpooled.buffer(propertiesSize());
		writeProperties(properties);
		return ByteBufUtil.getBytes(properties);
	}

	private static int propertiesSize(OutgoingMessage message, Collection<Integer> subscriptionIdentifiers,
			int expirySeconds) {
		int size = 2 + 1 + CONTENT_TYPE_SIZE + ((expirySeconds > 0) ? 1 + 4 : 0);
		Bytes correlationData = message.correlationData();
		if (correlationData != null) {
			size += 1 + LENGTH + correlationData.length();
		}
		for (UserProperty property : message.userProperties()) {
			size += 1 + Properties.size(property.name()) + Properties.size(property.value());
		}
		for (int identifier : subscriptionIdentifiers) {
			size += 1 + VariableByteInteger.lengthOf(identifier);
		}
		return size;
	}

	@Override
	protected void writeProperties(ByteBuf out) {
		out.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(0);
		// Must not be last: Netty 4.2 skips a final two-byte property if all properties
		// together take 128 bytes.
		for (int identifier : this.subscriptionIdentifiers) {
			VariableByteInteger.write(out.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER), identifier);
		}
		Properties.write(out, MqttProperties.CONTENT_TYPE, CONTENT_TYPE);
		if (this.expirySeconds > 0) {
			out.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt(this.expirySeconds);
		}
		Bytes correlationData = this.message.correlationData();
		if (correlationData != null) {
			Properties.write(out, MqttProperties.CORRELATION_DATA, correlationData.toArray());
		}
		for (UserProperty property : this.message.userProperties()) {
			Properties.writeUser(out, property.name(), property.value());
		}
	}

}
