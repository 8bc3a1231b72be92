package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * An application message of MQTT 5, independent of a codec. Equality compares the payload
 * by identity.
 *
 * @param topic topic name
 * @param payload content; not copied, and must not be changed
 * @param qos quality of service, 0 to 2
 * @param retained whether the broker had stored the message before the subscription
 * @param text whether the payload is declared to be UTF-8 (Payload Format Indicator)
 * @param expirySeconds Message Expiry Interval in seconds, or {@code null} for none
 * @param contentType media type of the payload, or {@code null} if unknown
 * @param responseTopic topic for the reply, or {@code null} if none is expected
 * @param correlationData identifies the request that a reply belongs to, or {@code null}
 * @param userProperties name-value pairs in order; names may repeat
 */
public record LinkMessage(String topic, byte[] payload, int qos, boolean retained, boolean text,
		@Nullable Long expirySeconds, @Nullable String contentType, @Nullable String responseTopic,
		@Nullable Bytes correlationData, List<UserProperty> userProperties) {

	/**
	 * Creates a message with QoS 1 and no properties.
	 * @param topic topic name
	 * @param payload content; not copied, and must not be changed
	 */
	public LinkMessage(String topic, byte[] payload) {
		this(topic, payload, 1, false, false, null, null, null, null, List.of());
	}

	/**
	 * Returns the value of a user property.
	 * @param name name of the property
	 * @return the value of the first property with this name, or {@code null} if there is
	 * none
	 */
	public @Nullable String userProperty(String name) {
		for (UserProperty property : this.userProperties) {
			if (property.name().equals(name)) {
				return property.value();
			}
		}
		return null;
	}

	/**
	 * Returns the size of the PUBLISH packet (MQTT 5 section 3.3).
	 * @return the number of bytes, without topic alias
	 */
	public long packetSize() {
		long properties = propertiesSize();
		long remaining = 2L + utf8Length(this.topic) + ((this.qos > 0) ? 2 : 0) + variableByteIntegerSize(properties)
				+ properties + this.payload.length;
		return 1 + variableByteIntegerSize(remaining) + remaining;
	}

	/** Returns the size of the properties, each with its identifier byte. */
	private long propertiesSize() {
		long size = this.text ? 2 : 0;
		size += (this.expirySeconds != null) ? 5 : 0;
		size += (this.contentType != null) ? 3 + utf8Length(this.contentType) : 0;
		size += (this.responseTopic != null) ? 3 + utf8Length(this.responseTopic) : 0;
		size += (this.correlationData != null) ? 3 + this.correlationData.length() : 0;
		for (UserProperty property : this.userProperties) {
			size += 5 + utf8Length(property.name()) + utf8Length(property.value());
		}
		return size;
	}

	private static int utf8Length(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

	/** Returns the size of an encoded number (MQTT 5 section 1.5.5). */
	private static int variableByteIntegerSize(long value) {
		int size = 1;
		for (long rest = value >> 7; rest > 0; rest >>= 7) {
			size++;
		}
		return size;
	}

	/**
	 * A user property of MQTT 5.
	 *
	 * @param name name of the property
	 * @param value value of the property
	 */
	public record UserProperty(String name, String value) {
	}

	/** Receives the answer of the broker to a publish. */
	@FunctionalInterface
	public interface Acknowledgment {

		/**
		 * Called on a network thread when PUBACK or, with QoS 2, PUBCOMP has arrived.
		 * Must not block.
		 * @param reasonCode an MQTT 5 {@link ReasonCode}
		 */
		void acknowledged(int reasonCode);

		/**
		 * Called on a network thread when PUBREC has arrived for a message with QoS 2,
		 * which the broker keeps from now on.
		 */
		default void received() {
		}

	}

}
